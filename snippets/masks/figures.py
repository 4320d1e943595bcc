"""The figures of the lesson. Each parameter is a name that the lesson's page computes."""

from matplotlib.figure import Figure

from sitekit.drawing import attention_map, figure


@figure
def unmasked(words, open_view) -> Figure:
    """Every word asks every word."""
    return attention_map(open_view.weights, words, words)


@figure
def masked_before(words, causal) -> Figure:
    """Masked before the softmax: nothing above the diagonal, and whole rows."""
    return attention_map(causal.weights, words, words)


@figure
def masked_after(words, cut_weights) -> Figure:
    """Masked after the softmax: nothing above the diagonal either, but rows that fall short."""
    return attention_map(cut_weights, words, words)


@figure
def crossed(german, words, cross) -> Figure:
    """Three words of one sentence ask the four of another."""
    return attention_map(cross.weights, german, words)
