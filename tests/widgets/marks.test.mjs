// What the reader's browser keeps of the cards, also where somebody else has written at its place.

import assert from "node:assert/strict"
import { test } from "node:test"

import { marks } from "../../docs/assets/javascripts/widgets/attn-cards/marks.js"

const keeping = (text) => {
  const kept = { text }
  globalThis.localStorage = { getItem: () => kept.text, setItem: (_, text) => { kept.text = text } }
  return kept
}

test("a mark outlives the page", () => {
  keeping(null)
  marks("cards").set("a card", "known")
  assert.equal(marks("cards").get("a card"), "known")
})

test("what was never ours is begun anew", () => {
  for (const text of ["5", '"text"', "[1]", "null", "{", ""]) {
    const kept = keeping(text)
    const found = marks("cards")
    assert.equal(found.get("a card"), undefined)
    found.set("a card", "known")
    assert.deepEqual(JSON.parse(kept.text), { "a card": "known" }, text)
  }
})

test("where nothing can be kept, a mark lasts as long as the page", () => {
  globalThis.localStorage = { getItem() { throw new Error("off") }, setItem() { throw new Error("full") } }
  const found = marks("cards")
  found.set("a card", "known")
  assert.equal(found.get("a card"), "known")
})
