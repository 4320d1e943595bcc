// The arithmetic of all widgets: numbers in, numbers out, nothing of the page. tests/widgets holds it to attnref.
// Matrices are arrays of rows. The words are the library's: dot products, scores (scaled), weights, output.

export const dot = (a, b) => a.reduce((total, number, place) => total + number * b[place], 0)

// A row in which nothing may be attended has weights of zero, as in attnref.
export function softmax(scores) {
  const largest = Math.max(...scores)
  if (largest === -Infinity) return scores.map(() => 0)
  const powers = scores.map((score) => Math.exp(score - largest))
  const total = powers.reduce((sum, power) => sum + power, 0)
  return powers.map((power) => power / total)
}

export const blend = (weights, values) =>
  values[0].map((_, column) => dot(weights, values.map((value) => value[column])))

// Q (L_q, d_k), K (L_k, d_k), V (L_k, d_v); mask (L_q, L_k), true where a query may attend to a key. As in attnref the
// scores are those before the mask.
export function attention(Q, K, V, { mask = null, scale = 1 / Math.sqrt(K[0].length) } = {}) {
  const dotProducts = Q.map((query) => K.map((key) => dot(query, key))) // (L_q, L_k)
  const scores = dotProducts.map((row) => row.map((x) => x * scale))
  const masked = scores.map((row, i) => row.map((score, j) => (mask && !mask[i][j] ? -Infinity : score)))
  const weights = masked.map(softmax)
  return { dotProducts, scores, weights, output: weights.map((row) => blend(row, V)) }
}

// The last query lines up with the last key, as in attnref; the last `padding` keys are filler.
export const maskOf = (L_q, L_k, { causal = false, padding = 0 } = {}) =>
  Array.from({ length: L_q }, (_, i) =>
    Array.from({ length: L_k }, (_, j) => j < L_k - padding && (!causal || j <= i + L_k - L_q)))

// The slip of masking after the softmax: what is forbidden is cut out of weights that were shared among all.
export const cut = (weights, mask) => weights.map((row, i) => row.map((weight, j) => (mask[i][j] ? weight : 0)))

export const mean = (numbers) => numbers.reduce((total, number) => total + number, 0) / numbers.length

export function spread(numbers) {
  const middle = mean(numbers)
  return Math.sqrt(mean(numbers.map((number) => (number - middle) ** 2)))
}

// The largest entry of the softmax's Jacobian: how far a weight moves, at most, for a nudge of its own score.
export const steepest = (weights) => Math.max(...weights.map((weight) => weight * (1 - weight)))

// Numbers that look random and are the same everywhere, between 0 and 1 (the generator is known as mulberry32).
export function generator(seed) {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

// Numbers of a bell curve with mean 0 and variance 1 (the method of Box and Muller).
export function bell(uniform, length) {
  const numbers = []
  while (numbers.length < length) {
    const radius = Math.sqrt(-2 * Math.log(1 - uniform()))
    const angle = 2 * Math.PI * uniform()
    numbers.push(radius * Math.cos(angle), radius * Math.sin(angle))
  }
  return numbers.slice(0, length)
}

// A draw: a random query and what its dot products with random keys are made of. Given the query, its dot product
// with a bell-curve key is a bell-curve number whose spread is the query's length: one number a key is enough.
export function draw(seed, n_keys, longest) {
  const uniform = generator(seed)
  const directions = bell(uniform, n_keys)
  let square = 0
  const lengths = bell(uniform, longest).map((number) => Math.sqrt((square += number * number)))
  return { directions, lengths } // lengths[d - 1]: of the query's first d numbers
}

export const dotProductsOf = ({ directions, lengths }, d_k) => directions.map((number) => number * lengths[d_k - 1])

// What one layer takes, up to a fixed factor (Vaswani et al. 2017, Table 1), and keeps: weights, or states. A window
// of r neighbours is never wider than the text.
export function costs(n, d, r) {
  const seen = Math.min(r, n)
  return {
    selfAttention: { work: n * n * d, memory: n * n, steps: 1 },
    recurrent: { work: n * d * d, memory: n * d, steps: n },
    windowed: { work: seen * n * d, memory: seen * n, steps: 1 },
  }
}
