"""BERT's encoder once more, in plain Python: lists of numbers, nothing of attnref and nothing of NumPy."""

import math

Vector = list[float]


def norm(x: Vector, gain: Vector, shift: Vector, eps: float) -> Vector:
    mean = math.fsum(x) / len(x)
    variance = math.fsum((value - mean) ** 2 for value in x) / len(x)
    return [
        g * (value - mean) / math.sqrt(variance + eps) + b for value, g, b in zip(x, gain, shift, strict=True)
    ]


def dot(x: Vector, y: Vector) -> float:
    return math.fsum(a * b for a, b in zip(x, y, strict=True))


def linear(x: Vector, weight: list[Vector], bias: Vector) -> Vector:
    """A layer as it is stored: a row of the matrix for each number that comes out."""
    return [
        math.fsum(w * value for w, value in zip(row, x, strict=True)) + b
        for row, b in zip(weight, bias, strict=True)
    ]


def gelu(x: float) -> float:
    return x * (1 + math.erf(x / math.sqrt(2))) / 2


def added(x: Vector, y: Vector) -> Vector:
    return [a + b for a, b in zip(x, y, strict=True)]


def encode(ids: list[int], segments: list[int], tensors: dict, n_layers: int, n_heads: int, eps: float):
    """Return the tokens as they leave the last layer, and weights[layer][head][i][j]."""
    t = {name: tensor.tolist() for name, tensor in tensors.items()}
    E, P, S = (t[f"embeddings.{kind}_embeddings.weight"] for kind in ("word", "position", "token_type"))
    rows = [added(added(E[n], P[i]), S[s]) for i, (n, s) in enumerate(zip(ids, segments, strict=True))]
    gain, shift = t["embeddings.LayerNorm.weight"], t["embeddings.LayerNorm.bias"]
    X = [norm(x, gain, shift, eps) for x in rows]
    maps = []
    for n in range(n_layers):

        def part(name, x, layer=f"encoder.layer.{n}."):
            return linear(x, t[f"{layer}{name}.weight"], t[f"{layer}{name}.bias"])

        def normed(name, x, layer=f"encoder.layer.{n}."):
            return norm(x, t[f"{layer}{name}.LayerNorm.weight"], t[f"{layer}{name}.LayerNorm.bias"], eps)

        Q, K, V = ([part(f"attention.self.{which}", x) for x in X] for which in ("query", "key", "value"))
        d_k = len(X[0]) // n_heads
        joined: list[Vector] = [[] for _ in X]
        layer_maps = []
        for h in range(n_heads):
            own = range(h * d_k, (h + 1) * d_k)
            head_map = []
            for i in range(len(X)):
                powers = [
                    math.exp(math.fsum(Q[i][c] * K[j][c] for c in own) / math.sqrt(d_k))
                    for j in range(len(X))
                ]
                row = [power / math.fsum(powers) for power in powers]
                joined[i] += [math.fsum(row[j] * V[j][c] for j in range(len(X))) for c in own]
                head_map.append(row)
            layer_maps.append(head_map)
        maps.append(layer_maps)
        X = [
            normed("attention.output", added(x, part("attention.output.dense", y)))
            for x, y in zip(X, joined, strict=True)
        ]
        bent = [[gelu(value) for value in part("intermediate.dense", x)] for x in X]
        X = [normed("output", added(x, part("output.dense", y))) for x, y in zip(X, bent, strict=True)]
    return X, maps
