// A number is judged by the tolerance that the question states.

import assert from "node:assert/strict"
import { test } from "node:test"

import { judge } from "../../docs/assets/javascripts/widgets/attn-quiz/judge.js"

test("a number within the tolerance is right, one at its edge too", () => {
  assert.equal(judge(2.12, 2.1213, 0.01).right, true)
  assert.equal(judge(0.6, 0.5, 0.1).right, true)
  assert.equal(judge(45, 45, 0).right, true)
})

test("a number beyond it is wrong, and is told on which side", () => {
  assert.match(judge(3, 2.1213, 0.01).words, /large/)
  assert.match(judge(1.5, 2.1213, 0.01).words, /small/)
  assert.equal(judge(50, 45, 0).right, false)
})

test("an empty field is no answer", () => {
  assert.deepEqual(judge(NaN, 1, 0.1), { number: false, right: false, words: "Type a number first, such as 0.5." })
})
