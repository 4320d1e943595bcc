"""Count the multiplications of an attention layer, by doing them."""

import numpy as np

import attnref


class Counted(float):
    """A number that notes each multiplication it takes part in."""

    def __mul__(self, other):
        Counted.done += 1
        return Counted(float(self) * float(other))

    def __add__(self, other):
        return Counted(float(self) + float(other))


counted = np.frompyfunc(Counted, 1, 1)
tokens, d_model = 4, 6


def multiplications(n_heads):
    X = counted(np.ones((tokens, d_model)))
    d_k = d_model // n_heads
    Counted.done = 0
    heads = []
    for _ in range(n_heads):
        W_Q, W_K, W_V = counted(np.ones((3, d_model, d_k)))
        Q, K, V = X @ W_Q, X @ W_K, X @ W_V
        scores = (Q @ K.T).astype(float) / np.sqrt(d_k)
        weights = counted(attnref.softmax(scores))
        heads.append(weights @ V)
    W_O = counted(np.ones((d_model, d_model)))
    np.hstack(heads) @ W_O
    return Counted.done


head_numbers = [1, 2, 3, 6]
counts = [multiplications(n_heads) for n_heads in head_numbers]
print(counts)
