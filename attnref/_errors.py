"""What attnref raises: one family of errors, so that `except AttnRefError` catches all of it."""


class AttnRefError(ValueError):
    """An argument that attnref cannot give a meaning.

    The message names the argument, what was given, the rule in words and the next step.
    """


class ShapeError(AttnRefError):
    """An array whose axes do not fit the equation or the other arrays."""


class MaskError(AttnRefError):
    """A mask, a window or a length that does not say who may attend to what."""


class DtypeError(AttnRefError):
    """An array whose entries are not the kind of number that the equation is about."""


class ModelError(AttnRefError):
    """A file of a trained model that is missing, damaged, or of a kind that attnref does not read."""


for _error in (AttnRefError, ShapeError, MaskError, DtypeError, ModelError):
    _error.__module__ = "attnref"  # a traceback names them as they are imported
