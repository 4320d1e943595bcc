"""The later forms in plain Python, token by token, as in `loops`: lists, nothing of attnref, nothing of NumPy."""

import math
from collections.abc import Callable, Sequence

from tests.attnref import loops

Matrix = Sequence[Sequence[float]]


def elu_plus_one(row: Sequence[float]) -> list[float]:
    return [x + 1 if x > 0 else math.exp(x) for x in row]


def dot(a: Sequence[float], b: Sequence[float]) -> float:
    return math.fsum(x * y for x, y in zip(a, b, strict=True))


def linear(
    Q: Matrix,
    K: Matrix,
    V: Matrix,
    *,
    causal: bool,
    features: Callable = elu_plus_one,
    normalize: bool = True,
) -> list[list[float]]:
    """For each query in turn the sums over the keys that it sees, no state."""
    output = []
    for i, q in enumerate(Q):
        seen = [j for j in range(len(K)) if not causal or j <= i + len(K) - len(Q)]
        shares = [dot(features(q), features(K[j])) for j in seen]
        total = math.fsum(shares) if normalize else 1.0
        blended = [
            math.fsum(s * V[j][c] for s, j in zip(shares, seen, strict=True)) for c in range(len(V[0]))
        ]
        output.append([number / total if total else 0.0 for number in blended])
    return output


def delta(Q: Matrix, K: Matrix, V: Matrix, decay: Matrix, beta: Sequence[float]) -> list[list[float]]:
    """The state as nested lists: forget, look up, write the difference, read."""
    d_k, d_v = len(K[0]), len(V[0])
    S = [[0.0] * d_v for _ in range(d_k)]
    output = []
    for q, k, v, g, b in zip(Q, K, V, decay, beta, strict=True):
        S = [[math.exp(g[a]) * S[a][c] for c in range(d_v)] for a in range(d_k)]
        held = [math.fsum(S[a][c] * k[a] for a in range(d_k)) for c in range(d_v)]
        S = [[S[a][c] + b * k[a] * (v[c] - held[c]) for c in range(d_v)] for a in range(d_k)]
        output.append([math.fsum(S[a][c] * q[a] for a in range(d_k)) for c in range(d_v)])
    return output


def differential(Q: Matrix, K: Matrix, V: Matrix, factor: float, *, init=None, gain=None, **options):
    """Two maps from the halves, one less a share of the other; then the norm of the head."""
    half = len(Q[0]) // 2
    one, other = (
        loops.attention(loops.columns(Q, at, half), loops.columns(K, at, half), V, **options)
        for at in (0, half)
    )
    output = [
        [a - factor * b for a, b in zip(x, y, strict=True)]
        for x, y in zip(one.output, other.output, strict=True)
    ]
    if init is not None:
        output = [[(1 - init) * y for y in loops.rms_normed(x, gain, eps=1e-5)] for x in output]
    return output


def latent(Q, Q_rope, C, K_rope, W_UK, W_UV, *, n_heads: int, **options) -> list[list[list[float]]]:
    """Head by head, with keys and values made anew: Q and Q_rope have one matrix for each head."""
    d_k, d_v = len(W_UK[0]) // n_heads, len(W_UV[0]) // n_heads
    found = []
    for h in range(n_heads):
        K = loops.product(C, loops.columns(W_UK, h * d_k, d_k))
        V = loops.product(C, loops.columns(W_UV, h * d_v, d_v))
        queries = [[*a, *b] for a, b in zip(Q[h], Q_rope[h], strict=True)]
        keys = [[*a, *b] for a, b in zip(K, K_rope, strict=True)]
        found.append(loops.attention(queries, keys, V, **options).output)
    return found
