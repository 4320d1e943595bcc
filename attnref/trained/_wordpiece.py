"""WordPiece: words into the pieces that a model has a vector for."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from attnref._errors import DtypeError, ModelError
from attnref._validate import refuse
from attnref.trained._basic import basic_words

LONGEST_WORD = 100  # characters; what is longer is unknown, as in BERT


class Pieces(NamedTuple):
    """A sentence as a model reads it."""

    tokens: tuple[str, ...]
    """The pieces, `[CLS]` before them and `[SEP]` behind; one that goes on a word begins with `##`."""

    ids: tuple[int, ...]
    """The number of each token in the vocabulary."""

    words: tuple[str, ...]
    """The words and marks that were cut up, `[CLS]` and `[SEP]` among them."""

    spans: tuple[tuple[int, int], ...]
    """For each word the index of its first token and the one behind its last."""


@dataclass(frozen=True, eq=False, repr=False)
class WordPiece:
    """A vocabulary and how it is used: call `cut` with a sentence."""

    vocabulary: Mapping[str, int]
    """Piece -> its number."""

    lower: bool = True
    """True: capitals become small letters first."""

    strip_accents: bool | None = None
    """True: accents are taken off first. None: where capitals are."""

    split_chinese: bool = True
    """True: each Chinese character is a word."""

    def __repr__(self) -> str:
        return f"<WordPiece: {len(self.vocabulary)} pieces>"

    def cut(self, sentence: str) -> Pieces:
        """Cut a sentence into words, and each word into the longest pieces that the vocabulary has.

        Parameters
        ----------
        sentence
            Any text.

        Returns
        -------
        Pieces
            `tokens`, `ids`, `words` and `spans`. A word that cannot be made of pieces, or is too long, is
            one token `[UNK]`.

        Raises
        ------
        DtypeError
            If the sentence is no text.
        ModelError
            If a special token that is needed is not in the vocabulary.

        Notes
        -----
        Cost: for each word on the order of the square of its length.

        Differs from the package `tokenizers`, which reads the names of special tokens, such as `[SEP]`, as
        those tokens where they stand in a text; here a text is only a text.

        Source: Devlin et al. 2018, Section 3; the rules for blanks, accents and marks: the code published
        with it.

        Examples
        --------
        >>> pieces = ["[UNK]", "[CLS]", "[SEP]", "sun", "##flow", "##er", "!"]
        >>> cut = WordPiece({piece: n for n, piece in enumerate(pieces)}).cut("Sunflower!")
        >>> print(*cut.tokens)
        [CLS] sun ##flow ##er ! [SEP]
        >>> print(*cut.words)
        [CLS] sunflower ! [SEP]
        """
        if not isinstance(sentence, str):
            given = f"sentence is of type {type(sentence).__name__}"
            refuse(DtypeError, given, "a sentence is a text", "Pass one sentence at a time, as str")
        strip = self.lower if self.strip_accents is None else self.strip_accents
        words = basic_words(sentence, lower=self.lower, strip_accents=strip, split_chinese=self.split_chinese)
        parts = [["[CLS]"], *(self.pieces_of(word) for word in words), ["[SEP]"]]
        tokens = [piece for part in parts for piece in part]
        ends = [sum(map(len, parts[: n + 1])) for n in range(len(parts))]
        spans = tuple((end - len(part), end) for end, part in zip(ends, parts, strict=True))
        absent = [token for token in tokens if token not in self.vocabulary]
        if absent:
            rule = "it needs [CLS], [SEP] and, for words that it cannot make, [UNK]"
            refuse(ModelError, f"the vocabulary has no {absent[0]}", rule, "Take the vocabulary of a model")
        ids = tuple(self.vocabulary[token] for token in tokens)
        return Pieces(tuple(tokens), ids, ("[CLS]", *words, "[SEP]"), spans)

    def pieces_of(self, word: str) -> list[str]:
        """One word in pieces, the longest first piece first; all of it unknown if a rest is."""
        pieces: list[str] = []
        begin = 0
        while begin < len(word) <= LONGEST_WORD:
            before = "##" if begin else ""
            ends = (end for end in range(len(word), begin, -1) if before + word[begin:end] in self.vocabulary)
            end = next(ends, None)
            if end is None:
                return ["[UNK]"]
            pieces.append(before + word[begin:end])
            begin = end
        return pieces or ["[UNK]"]
