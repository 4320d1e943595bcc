// Two attention layers with one head each, as snippets/induction-head/train.py trains them: numbers in, numbers out.
// `parameters.json` holds each array as bytes in steps of one size. The words are the library's.

import { attention, blend, maskOf, softmax } from "../arithmetic.js"

const rowsOf = (numbers, width) =>
  Array.from({ length: numbers.length / width }, (_, row) => numbers.slice(row * width, (row + 1) * width))

// An array of two axes as rows, one of three as a list of such.
export function unpack({ shape, step, steps }) {
  const bytes = Int8Array.from(atob(steps), (character) => character.charCodeAt(0))
  const rows = rowsOf(Array.from(bytes, (number) => number * step), shape.at(-1))
  return shape.length === 2 ? rows : rowsOf(rows, shape[1])
}

export function read({ tokens, parameters }) {
  const arrays = Object.entries(parameters).map(([name, packed]) => [name, unpack(packed)])
  return { signs: [...tokens], ...Object.fromEntries(arrays) }
}

// The last position was never trained, so a sequence is one shorter than there are positions.
export const longest = (model) => model.P.length - 1

// What can be read of a text: signs the model knows, as many as it has trained positions. The rest is left out.
export function tokensOf(model, text) {
  const known = [...text.toLowerCase()].map((sign) => model.signs.indexOf(sign)).filter((token) => token >= 0)
  return known.slice(0, longest(model))
}

const add = (X, Y) => X.map((row, i) => row.map((number, column) => number + Y[i][column]))
const times = (X, W) => X.map((row) => blend(row, W)) // a blend of W's rows is a product

// weights: one (L, L) for each layer; shares: (L, tokens), of what might come next. `without` leaves out a layer's head.
export function forward(model, tokens, without = null) {
  if (!tokens.length) return { weights: model.W_Q.map(() => []), logits: [], shares: [] }
  const mask = maskOf(tokens.length, tokens.length, { causal: true })
  let X = tokens.map((token, place) => model.E[token].map((number, column) => number + model.P[place][column]))
  const weights = model.W_Q.map((W_Q, layer) => {
    const [Q, K, V] = [W_Q, model.W_K[layer], model.W_V[layer]].map((W) => times(X, W)) // (L, d_model) each
    const head = attention(Q, K, V, { mask })
    if (layer !== without) X = add(X, times(head.output, model.W_O[layer]))
    return head.weights
  })
  const logits = times(X, model.U)
  return { weights, logits, shares: logits.map(softmax) }
}

// The places of the largest numbers, the largest first.
export const ranked = (numbers, amount) =>
  numbers.map((_, place) => place).sort((a, b) => numbers[b] - numbers[a]).slice(0, amount)
