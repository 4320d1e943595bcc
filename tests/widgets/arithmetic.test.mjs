// The widgets' arithmetic gives what attnref gives: node --test tests/widgets/

import assert from "node:assert/strict"
import { readFileSync } from "node:fs"
import { test } from "node:test"

import * as arithmetic from "../../docs/assets/javascripts/widgets/arithmetic.js"

const vectors = JSON.parse(readFileSync(new URL("vectors.json", import.meta.url), "utf8"))

function assertClose(found, expected, place) {
  if (Array.isArray(expected)) {
    assert.equal(found.length, expected.length, `${place} has another size`)
    expected.forEach((item, index) => assertClose(found[index], item, `${place}[${index}]`))
  } else {
    const off = Math.abs(found - expected)
    assert.ok(off <= 1e-12 * Math.max(1, Math.abs(expected)), `${place} is ${found}, attnref gives ${expected}`)
  }
}

vectors.attention.forEach((given, number) => {
  const { Q, K, V, causal, padding, scaled } = given
  test(`attention is attnref's, case ${number}: causal ${causal}, padding ${padding}, scaled ${scaled}`, () => {
    const mask = arithmetic.maskOf(Q.length, K.length, { causal, padding })
    assert.deepEqual(mask, given.mask)
    const found = arithmetic.attention(Q, K, V, { mask, ...(scaled ? {} : { scale: 1 }) })
    for (const name of ["dotProducts", "scores", "weights", "output"]) assertClose(found[name], given[name], name)
    const open = arithmetic.attention(Q, K, V, scaled ? {} : { scale: 1 })
    assertClose(arithmetic.cut(open.weights, mask), given.cut, "cut")
  })
})

test("the cases hold a row that may attend to nothing, and one that may attend to all", () => {
  const rows = vectors.attention.flatMap(({ mask }) => mask)
  assert.ok(rows.some((row) => row.every((allowed) => !allowed)))
  assert.ok(rows.some((row) => row.every((allowed) => allowed)))
})

vectors.softmax.forEach((given) => {
  test(`softmax of ${given.scores} and its steepest slope are attnref's`, () => {
    const weights = arithmetic.softmax(given.scores)
    assertClose(weights, given.weights, "weights")
    assertClose(arithmetic.steepest(weights), given.steepest, "steepest")
  })
})

test("mean and spread are NumPy's", () => {
  const { numbers, mean, spread } = vectors.spread
  assertClose(arithmetic.mean(numbers), mean, "mean")
  assertClose(arithmetic.spread(numbers), spread, "spread")
})

vectors.costs.forEach(({ n, d, r, ...expected }) => {
  test(`costs for n = ${n}, d = ${d}, r = ${r} are what is counted`, () => {
    assert.deepEqual(arithmetic.costs(n, d, r), expected)
  })
})

test("random numbers depend on the seed alone and fill the range between 0 and 1", () => {
  const numbers = (seed) => Array.from({ length: 5000 }, arithmetic.generator(seed))
  assert.deepEqual(numbers(7), numbers(7))
  assert.notDeepEqual(numbers(7), numbers(8))
  const found = numbers(7)
  assert.ok(found.every((number) => number >= 0 && number < 1))
  assert.ok(Math.abs(arithmetic.mean(found) - 1 / 2) < 4 * Math.sqrt(1 / 12 / found.length))
})

// The means of many draws, against what NumPy found with real vectors (the record of the lesson on the root); each may
// be off by four standard errors, of a thousand draws here and twenty thousand there.
test("random dot products saturate the softmax as those of real vectors do", () => {
  const draws = Array.from({ length: 1000 }, (_, seed) => arithmetic.draw(seed, 8, 64))
  const dotProducts = draws.map((one) => arithmetic.dotProductsOf(one, 64))
  const largest = (divisor) => dotProducts.map((row) => Math.max(...arithmetic.softmax(row.map((x) => x / divisor))))
  for (const [divisor, expected] of vectors.saturation.divisors.map((by, i) => [by, vectors.saturation.largest[i]])) {
    const found = largest(divisor)
    const error = arithmetic.spread(found) / Math.sqrt(found.length)
    assert.ok(Math.abs(arithmetic.mean(found) - expected) < 4 * error, `${arithmetic.mean(found)}, not ${expected}`)
  }
  assert.ok(Math.abs(arithmetic.spread(dotProducts.flat()) - 8) < 0.3)
})
