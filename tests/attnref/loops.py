"""The equations once more, in plain Python: nested lists, three loops, nothing of attnref and nothing of
NumPy.

What attnref computes at once for all queries, keys and features is written here for one number at a time, so
that a mistake in an axis cannot be made twice.
"""

import cmath
import math
from collections.abc import Sequence
from typing import NamedTuple

Matrix = Sequence[Sequence[float]]


class Loops(NamedTuple):
    output: list[list[float]]
    weights: list[list[float]]
    scores: list[list[float]]
    log_normalizers: list[float]


def softmax_row(row: Sequence[float]) -> list[float]:
    """Shares of one row; all zero where there is nothing to choose from."""
    top = max(row, default=-math.inf)
    if top == -math.inf:
        return [0.0 for _ in row]
    powers = [math.exp(x - top) for x in row]
    return [power / math.fsum(powers) for power in powers]


def log_sum_exp(row: Sequence[float]) -> float:
    """Logarithm of the sum of the exponentials; minus infinity where there is nothing to sum."""
    top = max(row, default=-math.inf)
    return top if top == -math.inf else top + math.log(math.fsum(math.exp(x - top) for x in row))


def may_attend(i: int, j: int, L_q: int, L_k: int, mask, bias, causal, window) -> bool:
    position = i + L_k - L_q
    left, right = window if window is not None else (None, None)
    return (
        (mask is None or bool(mask[i][j]))
        and (bias is None or bias[i][j] != -math.inf)
        and (not causal or j <= position)
        and (left is None or j >= position - left)
        and (right is None or j <= position + right)
    )


def attention(
    Q: Matrix,
    K: Matrix,
    V: Matrix,
    *,
    mask=None,
    bias=None,
    causal=False,
    window=None,
    scale=None,
    softcap=None,
) -> Loops:
    """One head of one sequence: scale, softcap, bias, mask, softmax, blend, for each query in turn."""
    L_q, L_k, d_v = len(Q), len(K), len(V[0]) if len(V) else 0
    output, weights, scores, log_normalizers = [], [], [], []
    for i in range(L_q):
        score_row, logit_row = [], []
        for j in range(L_k):
            dot = math.fsum(Q[i][c] * K[j][c] for c in range(len(Q[i])))
            score = dot * (scale if scale is not None else 1 / math.sqrt(len(Q[i])))
            logit = score if softcap is None else softcap * math.tanh(score / softcap)
            logit = logit if bias is None else logit + bias[i][j]
            score_row.append(score)
            logit_row.append(logit if may_attend(i, j, L_q, L_k, mask, bias, causal, window) else -math.inf)
        weight_row = softmax_row(logit_row)
        blend = [math.fsum(weight_row[j] * V[j][c] for j in range(L_k)) for c in range(d_v)]
        output.append(blend)
        weights.append(weight_row)
        scores.append(score_row)
        log_normalizers.append(log_sum_exp(logit_row))
    return Loops(output, weights, scores, log_normalizers)


def product(A: Matrix, B: Matrix, b=None) -> list[list[float]]:
    """A times B, plus b in each row."""
    return [
        [math.fsum(row[c] * B[c][k] for c in range(len(B))) + (b[k] if b else 0) for k in range(len(B[0]))]
        for row in A
    ]


def columns(A: Matrix, first: int, width: int) -> list[list[float]]:
    return [list(row[first : first + width]) for row in A]


def multihead(
    X: Matrix,
    context: Matrix,
    W_Q: Matrix,
    W_K: Matrix,
    W_V: Matrix,
    W_O: Matrix,
    *,
    n_heads,
    n_kv_heads,
    b_Q=None,
    b_K=None,
    b_V=None,
    b_O=None,
    **options,
) -> tuple[list[list[float]], list[Loops]]:
    """Each head with its own columns of the matrices, as in the paper; nothing is split or transposed."""
    d_k, d_v = len(W_Q[0]) // n_heads, len(W_V[0]) // n_kv_heads
    heads = []
    for h in range(n_heads):
        g = h * n_kv_heads // n_heads
        Q = product(X, columns(W_Q, h * d_k, d_k), b_Q and b_Q[h * d_k :])
        K = product(context, columns(W_K, g * d_k, d_k), b_K and b_K[g * d_k :])
        V = product(context, columns(W_V, g * d_v, d_v), b_V and b_V[g * d_v :])
        heads.append(attention(Q, K, V, **options))
    joined = [[x for head in heads for x in head.output[i]] for i in range(len(X))]
    return product(joined, W_O, b_O), heads


def additive_score(
    q: Sequence[float], k: Sequence[float], W_Q: Matrix, W_K: Matrix, w: Sequence[float]
) -> float:
    """The small network of the additive form, for one query and one key."""
    hidden = [
        math.tanh(
            math.fsum(q[c] * W_Q[c][n] for c in range(len(q)))
            + math.fsum(k[c] * W_K[c][n] for c in range(len(k)))
        )
        for n in range(len(w))
    ]
    return math.fsum(w[n] * hidden[n] for n in range(len(w)))


def bilinear_score(q: Sequence[float], k: Sequence[float], W: Matrix) -> float:
    """The product of a query and a key through a matrix."""
    return math.fsum(q[a] * W[a][b] * k[b] for a in range(len(q)) for b in range(len(k)))


def from_scores(scores: Matrix, V: Matrix, *, mask=None, bias=None) -> Loops:
    """Any form, once its scores are there: they become a bias on dot products of zero."""
    L_q, L_k = len(scores), len(scores[0])
    total = [[scores[i][j] + (bias[i][j] if bias else 0) for j in range(L_k)] for i in range(L_q)]
    return attention([[0.0]] * L_q, [[0.0]] * L_k, V, bias=total, mask=mask)


def wave(position: float, column: int, d_model: int, base: float = 10000.0) -> float:
    """One entry of the sinusoidal pattern."""
    even = column - column % 2
    angle = position / base ** (even / d_model)
    return math.cos(angle) if column % 2 else math.sin(angle)


def turned(x: Sequence[float], position: float, pairs: Sequence[tuple[int, int]], base: float) -> list[float]:
    """A token whose pairs are turned, as complex numbers times a number of length one."""
    out = list(x)
    for n, (a, b) in enumerate(pairs):
        number = complex(x[a], x[b]) * cmath.exp(1j * position * base ** (-n / len(pairs)))
        out[a], out[b] = number.real, number.imag
    return out


def layer_normed(x: Sequence[float], gain=None, shift=None, eps: float = 1e-5) -> list[float]:
    """One token, shifted to a mean of zero and stretched to a variance of one."""
    mean = math.fsum(x) / len(x)
    variance = math.fsum((number - mean) ** 2 for number in x) / len(x)
    normed = [(number - mean) / math.sqrt(variance + eps) for number in x]
    return [y * (gain[c] if gain else 1) + (shift[c] if shift else 0) for c, y in enumerate(normed)]


def rms_normed(x: Sequence[float], gain=None, eps: float = 1e-6) -> list[float]:
    """One token, stretched to a mean square of one."""
    size = math.sqrt(math.fsum(number**2 for number in x) / len(x) + eps)
    return [number / size * (gain[c] if gain else 1) for c, number in enumerate(x)]


def fed_forward(
    x: Sequence[float], W_in: Matrix, W_out: Matrix, b_in=None, b_out=None, activation=None
) -> list[float]:
    """One token through two matrices, bent between them."""
    bend = activation or (lambda number: max(number, 0.0))
    hidden = [bend(number) for number in product([x], W_in, b_in)[0]]
    return product([hidden], W_out, b_out)[0]


def block(
    X: Matrix, p: dict, *, n_heads, n_kv_heads, order, activation=None, eps=1e-5, **options
) -> list[list[float]]:
    """Heads and network, each with a way around it, with the norm before or after."""

    def norm(x, part):
        return layer_normed(x, p.get(f"gain_{part}"), p.get(f"shift_{part}"), eps)

    def add(A, B):
        return [[a + b for a, b in zip(x, y, strict=True)] for x, y in zip(A, B, strict=True)]

    def heads(tokens):
        names = ("W_Q", "W_K", "W_V", "W_O", "b_Q", "b_K", "b_V", "b_O")
        parts = {name: p[name] for name in names if name in p}
        return multihead(tokens, tokens, **parts, n_heads=n_heads, n_kv_heads=n_kv_heads, **options)[0]

    def feed(tokens):
        return [
            fed_forward(x, p["W_in"], p["W_out"], p.get("b_in"), p.get("b_out"), activation) for x in tokens
        ]

    if order == "pre":
        Y = add(X, heads([norm(x, "heads") for x in X]))
        return add(Y, feed([norm(y, "feed") for y in Y]))
    Y = [norm(y, "heads") for y in add(X, heads(X))]
    return [norm(z, "feed") for z in add(Y, feed(Y))]
