// A number is judged by the tolerance that the question states.

import assert from "node:assert/strict"
import { test } from "node:test"

import { judge, numberIn } from "../../docs/assets/javascripts/widgets/attn-quiz/judge.js"

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

test("a number is read as people type it", () => {
  const typed = { "0.5": 0.5, "0,5": 0.5, ",5": 0.5, "1/2": 0.5, " −0.5 ": -0.5, "-1 / 2": -0.5, "1,5/3": 0.5, "1e3": 1000, "1.": 1 }
  for (const [text, number] of Object.entries(typed)) assert.equal(numberIn(text, 0), number, text)
})

test("what may mean two numbers is the one that is nearer to the value", () => {
  assert.equal(numberIn("65,536", 65536), 65536)
  assert.equal(numberIn("2,121", 2.1213), 2.121)
  assert.equal(numberIn("1,000,000", 1), 1000000)
  assert.equal(numberIn("0,5", 5), 0.5)
})

test("what is no number is none", () => {
  for (const text of ["", " ", "x", "1/0", "1//2", "/", "1,2,3", "0x10", "Infinity", "1e999", "--1"]) {
    assert.ok(Number.isNaN(numberIn(text, 1)), text)
  }
})
