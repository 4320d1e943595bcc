"""Programs that are wrong in ways that have no name. A check must say so, and must not name a cause."""

BASE = """
def f(Q, K, V, mask=None, causal=False, scale=None):
    a = scale if scale is not None else 1 / np.sqrt(Q.shape[-1])
    s = Q @ K.mT * a
    {scores}
    ok = np.ones(s.shape, bool)
    if mask is not None:
        ok = ok & mask
    if causal:
        n, m = s.shape[-2:]
        ok = ok & (np.arange(m) <= np.arange(n)[:, None] + m - n)
    {allowed}
    s = np.where(ok, s, -np.inf)
    e = np.exp(s - np.maximum(s.max(-1, keepdims=True), -1e30))
    {powers}
    w = e / np.maximum(e.sum(-1, keepdims=True), 1e-30)
    {weights}
    o = w @ V
    {output}
    return o
"""


def program(**lines: str) -> str:
    return BASE.format(**{"scores": "", "allowed": "", "powers": "", "weights": "", "output": ""} | lines)


UNNAMED = {
    "squared scores": program(scores="s = s ** 2"),
    "distances": program(scores="s = -a * ((Q[..., :, None, :] - K[..., None, :, :]) ** 2).sum(-1)"),
    "scores cut off": program(scores="s = np.clip(s, -1, 1)"),
    "absolute scores": program(scores="s = np.abs(s)"),
    "rounded scores": program(scores="s = np.round(s, 1)"),
    "a hidden temperature": program(scores="s = s / 0.9"),
    "a length-dependent scale": program(scores="s = s * np.log(s.shape[-1])"),
    "a distance penalty nobody asked for": program(scores="s = s - 0.1 * np.abs(np.arange(s.shape[-1]) - np.arange(s.shape[-2])[:, None])"),
    "a hidden softcap": program(scores="s = 5 * np.tanh(s / 5)"),
    "a bonus for the first key": program(scores="s = s + (np.arange(s.shape[-1]) == 0)"),
    "the last feature unread": program(scores="s = Q[..., :-1] @ K[..., :-1].mT * a"),
    "keys in reverse": program(scores="s = s[..., ::-1]"),
    "keys rolled": program(scores="s = np.roll(s, 1, axis=-1)"),
    "queries rolled": program(scores="s = np.roll(s, 1, axis=-2)"),
    "the last key left out": program(allowed="ok[..., -1] = False"),
    "every other key": program(allowed="ok = ok & ((np.arange(s.shape[-1]) % 2 == 0) | ~causal)"),
    "the mask rolled": program(allowed="ok = ok if mask is None else np.roll(ok, 1, -1)"),
    "the first key always seen": program(allowed="ok[..., 0] = True"),
    "the first key never seen under a mask": program(allowed="ok[..., 0] &= mask is None"),
    "half the future": program(allowed="ok = ok | (causal and np.arange(s.shape[-1]) >= s.shape[-1] - 1)"),
    "rectified, not exponential": program(powers="e = np.where(ok, np.maximum(s, 0), 0) + 1e-9 * ok"),
    "squared weights": program(powers="e = e ** 2"),
    "the best three keys": program(powers="e = np.where(e >= np.sort(e, -1)[..., max(-3, -e.shape[-1])][..., None], e, 0)"),
    "a floor under the weights": program(weights="w = 0.9 * w + 0.1 / w.shape[-1]"),
    "rounded weights": program(weights="w = np.round(w, 2)"),
    "weights over a threshold": program(weights="w = np.where(w > 0.1, w, 0)"),
    "double the output": program(output="o = 2 * o"),
    "mixed with the mean": program(output="o = 0.5 * o + 0.5 * V.mean(-2, keepdims=True)"),
    "a constant added": program(output="o = o + 0.01"),
    "features in reverse": program(output="o = o[..., ::-1]"),
    "queries summed up": program(output="o = np.cumsum(o, axis=-2)"),
    "normalised output": program(output="o = o / np.linalg.norm(o + 1e-9, axis=-1, keepdims=True)"),
    "heads in reverse": program(output="o = o[:, ::-1]"),
    "a mask that costs a query": program(output="o = o if mask is None else o * (np.arange(o.shape[-2]) > 0)[:, None]"),
}  # fmt: skip
