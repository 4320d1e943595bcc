"""What the widgets' arithmetic has to give, computed by attnref: python -m tests.widgets.vectors writes vectors.json.

Every axis has a size of its own; some scores are large, some rows may attend to nothing.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

import attnref

FILE = Path(__file__).with_name("vectors.json")
SEED = 20261129


def attention_case(
    rng: np.random.Generator, sizes: tuple[int, int, int, int], *, causal: bool, padding: int, scaled: bool
) -> dict[str, Any]:
    L_q, L_k, d_k, d_v = sizes
    Q, K = 3 * rng.standard_normal((L_q, d_k)), rng.standard_normal((L_k, d_k))
    V = rng.standard_normal((L_k, d_v))
    mask = attnref.padding_mask([L_k - padding], L_k=L_k)[0] & np.ones((L_q, 1), dtype=bool)
    if causal:
        mask &= attnref.causal_mask(L_q, L_k)
    scale = None if scaled else 1
    result = attnref.attention(Q, K, V, mask=mask, scale=scale)
    cut = np.where(mask, attnref.attention(Q, K, V, scale=scale).weights, 0)
    return {
        "Q": Q,
        "K": K,
        "V": V,
        "causal": causal,
        "padding": padding,
        "scaled": scaled,
        "mask": mask,
        "dotProducts": Q @ K.T,
        "scores": result.scores,
        "weights": result.weights,
        "output": result.output,
        "cut": cut,
    }


def softmax_case(scores: list[float]) -> dict[str, Any]:
    weights = attnref.softmax(np.array(scores))
    jacobian = np.diag(weights) - np.outer(weights, weights)
    return {"scores": scores, "weights": weights, "steepest": float(jacobian.max())}


def costs_case(n: int, d: int, r: int) -> dict[str, Any]:
    """Counted, not from the formulas: one multiplication for each number of each pair that is compared."""
    pairs = int(np.ones((n, n), dtype=bool).sum())
    seen = n * min(n, r)
    return {
        "n": n,
        "d": d,
        "r": r,
        "selfAttention": {"work": pairs * d, "memory": pairs, "steps": 1},
        "recurrent": {"work": n * np.ones((d, d)).size, "memory": np.ones((n, d)).size, "steps": n},
        "windowed": {"work": seen * d, "memory": seen, "steps": 1},
    }


def saturation_case(rng: np.random.Generator, d_k: int) -> dict[str, Any]:
    """How much the luckiest of eight random keys gets, on average: with real vectors, drawn number by number."""
    vectors = rng.standard_normal((20_000, 9, d_k))
    dot_products = vectors[:, 1:] @ vectors[:, 0, :, np.newaxis]
    divisors = [1, float(np.sqrt(d_k))]
    largest = [float(attnref.softmax(dot_products / by, axis=-2).max(axis=-2).mean()) for by in divisors]
    return {"d_k": d_k, "divisors": divisors, "largest": [round(mean, 4) for mean in largest]}


def vectors() -> dict[str, Any]:
    rng = np.random.default_rng(SEED)
    cases = [
        attention_case(rng, sizes, causal=causal, padding=padding, scaled=scaled)
        for sizes in [(3, 5, 2, 7), (7, 5, 3, 2), (2, 3, 5, 1)]
        for causal in (False, True)
        for padding in (0, 2)
        for scaled in (False, True)
    ]
    softmaxes = [[1, 0, -1], [1000, 999, -1000], [0.5], [-7.25, -7.25, 3, 2.5, 40]]
    spread = 3 * rng.standard_normal(11)
    return {
        "attention": cases,
        "softmax": [softmax_case(scores) for scores in softmaxes],
        "spread": {"numbers": spread, "mean": float(spread.mean()), "spread": float(spread.std())},
        "costs": [costs_case(n, d, r) for n, d, r in [(5, 3, 2), (13, 7, 64), (101, 11, 17)]],
        "saturation": saturation_case(rng, 64),
    }


def text() -> str:
    data = json.dumps(vectors(), separators=(",", ":"), default=np.ndarray.tolist)
    return data.replace('},{"', '},\n{"') + "\n"


if __name__ == "__main__":
    FILE.write_text(text(), encoding="utf-8")
