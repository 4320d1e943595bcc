"""The exercises of the site, and wrong answers to each: an edit of the solution, and what the checker calls it."""

from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True)
class Exercise:
    """`start` are the faults of the program to begin with; an edit of the solution is (old, new)."""

    function: str
    form: str
    start: tuple[str, ...]
    wrong: dict[str, tuple[str, str]] = field(default_factory=dict)


EXERCISES = {
    "write-attention": Exercise(
        "attention",
        "attention",
        ("scale_missing", "softmax_missing"),
        {
            "scale_no_root": ("np.sqrt(Q.shape[-1])", "Q.shape[-1]"),
            "softmax_axis": ("axis=-1", "axis=-2"),
            "softmax_overflow": ("np.exp(scores - largest)", "np.exp(scores)"),
            "softmax_unnormalised": ("powers / powers.sum(axis=-1, keepdims=True)", "powers"),
        },
    ),
    "add-the-causal-mask": Exercise(
        "attention",
        "attention",
        ("causal_dropped",),
        {
            "causal_alignment": (", k=L_k - L_q)", ")"),
            "causal_off_by_one": ("k=L_k - L_q", "k=L_k - L_q - 1"),
            "causal_inverted": ("np.where(seen, scores, -np.inf)", "np.where(seen, -np.inf, scores)"),
            "masked_row_nan": ("np.maximum(total, 1)", "np.where(total > 0, total, np.nan)"),
        },
    ),
    "split-the-heads": Exercise(
        "multihead",
        "multihead",
        ("heads_mixed",),
        {
            "heads_split_reshape": (
                "cut.swapaxes(-3, -2)",
                "X.reshape(*before, n_heads, L, columns // n_heads)",
            ),
            "heads_interleaved": (
                "X.reshape(*before, L, n_heads, columns // n_heads)",
                "X.reshape(*before, L, columns // n_heads, n_heads).swapaxes(-2, -1)",
            ),
            "heads_order": ("return cut.swapaxes(-3, -2)", "return cut.swapaxes(-3, -2)[..., ::-1, :, :]"),
        },
    ),
    "read-the-fault": Exercise(
        "attention",
        "attention",
        ("scale_no_root", "causal_alignment", "mask_after_softmax"),
        {
            "scale_no_root": ("np.sqrt(Q.shape[-1])", "Q.shape[-1]"),
            "causal_alignment": (", k=L_k - L_q)", ")"),
            "mask_inverted": ("np.where(mask, scores, -np.inf)", "np.where(mask, -np.inf, scores)"),
            "masked_row_nan": ("np.maximum(total, 1)", "np.where(total > 0, total, np.nan)"),
        },
    ),
}


def program(slug: str, name: str) -> str:
    return (ROOT / "snippets" / slug / f"{name}.py").read_text(encoding="utf-8")


def wrong_program(slug: str, fault: str) -> str:
    """The solution with one fault put in."""
    old, new = EXERCISES[slug].wrong[fault]
    solution = program(slug, "solution")
    assert old in solution, f"{slug}: the solution does not hold {old!r}"
    return solution.replace(old, new)
