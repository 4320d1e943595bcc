// The trained model gives in the page what it gives in NumPy: node --test tests/widgets/

import assert from "node:assert/strict"
import { readFileSync } from "node:fs"
import { test } from "node:test"

import * as model from "../../docs/assets/javascripts/widgets/attn-induction/model.js"

const json = (path) => JSON.parse(readFileSync(new URL(path, import.meta.url), "utf8"))
const kept = json("../../docs/assets/javascripts/widgets/attn-induction/parameters.json")
const vectors = json("vectors_induction.json")
const trained = model.read(kept)
const squares = (numbers) => numbers.flat(3).reduce((total, number) => total + number * number, 0)

function assertClose(found, expected, place) {
  if (Array.isArray(expected)) {
    assert.equal(found.length, expected.length, `${place} has another size`)
    expected.forEach((item, index) => assertClose(found[index], item, `${place}[${index}]`))
  } else {
    const off = Math.abs(found - expected)
    assert.ok(off <= 1e-10 * Math.max(1, Math.abs(expected)), `${place} is ${found}, NumPy gives ${expected}`)
  }
}

for (const [name, { shape, ends, squares: sum }] of Object.entries(vectors.arrays)) {
  test(`the parameters ${name} are unpacked as they were kept`, () => {
    const numbers = trained[name].flat(2)
    assert.equal(trained[name].length, shape[0])
    assert.equal(numbers.length, shape.reduce((a, b) => a * b))
    assertClose([numbers[0], numbers.at(-1)], ends, name)
    assertClose(squares(trained[name]), sum, name)
  })
}

for (const { text, without, tokens, ...expected } of vectors.cases) {
  test(`what comes after ${text}, without ${without}, is what NumPy says`, () => {
    assert.deepEqual(model.tokensOf(trained, text), tokens)
    const { weights, logits, shares } = model.forward(trained, tokens, without)
    assertClose(weights.map((rows) => rows.at(-1)), expected.last, "weights")
    assertClose(weights.map(squares), expected.squares, "all weights")
    assertClose(logits.at(-1), expected.logits, "logits")
    assertClose(shares.at(-1), expected.shares, "shares")
    assertClose(squares(logits), expected.all_squares, "all logits")
  })
}

test("signs that the model does not know are left out, and so is what is too long", () => {
  const signs = (text) => model.tokensOf(trained, text).map((token) => trained.signs[token]).join("")
  assert.equal(signs("Plän-e T1!"), "plnet!")
  assert.equal(signs(""), "")
  assert.equal(signs("ab".repeat(40)).length, 31)
  assert.equal(model.longest(trained), 31)
})

test("no letter at all gives no rows and no error", () => {
  assert.deepEqual(model.forward(trained, []), { weights: [[], []], logits: [], shares: [] })
})

test("the largest come first", () => {
  assert.deepEqual(model.ranked([0.1, 0.5, 0.4], 2), [1, 2])
})
