// What is made of a question before the theme's search gets it, and of what that finds.

import assert from "node:assert/strict"
import { test } from "node:test"

import { answer, beginning, judged, keepApart, likest, query, telling, words } from "../../sitekit/question.js"

const small = (word) => ["a", "is", "not", "to", "what"].includes(word)
const part = (title, terms, score = 1) => ({ title, text: "", location: "x/#y", terms, score })

test("nodes of the tree of words are told apart where letters are digits", () => {
  class TokenSet {}
  keepApart({ TokenSet })
  const node = (edges, final = false) => Object.assign(new TokenSet(), { final, edges })
  const texts = [node({ 1: { id: 234 } }), node({ 1: { id: 2 }, 3: { id: 4 } }), node({ 1: { id: 234 } }, true)].map(String)
  assert.equal(new Set(texts).size, 3)
  assert.equal(texts[0], String(node({ 1: { id: 234 } })))
})

test("small words go, unless there are no others", () => {
  assert.deepEqual(words("What is a query?", small), ["query"])
  assert.deepEqual(words("what is a", small), ["what", "is", "a"])
  assert.deepEqual(words("  ", small), [])
})

test("signs that the search takes for commands are blanks", () => {
  assert.deepEqual(words('e^x +softmax~2 title:"d_k" -mask* (L_q, 3.5)', small), [
    "e", "x", "softmax", "2", "title", "d_k", "mask", "l_q", "3.5",
  ])
  assert.deepEqual(words("don’t don't", small), ["don't"])
})

test("a word is asked for, and what begins like its stem; a letter or a number is itself", () => {
  assert.equal(beginning("scaling"), "scal")
  assert.equal(beginning("uses"), "uses")
  assert.equal(query(["scaling"]), "scaling^8 scal*")
  assert.equal(query(["e"]), "e^8")
  assert.equal(query(["2017"]), "2017^8")
})

test("two words are asked for as one, too", () => {
  assert.match(query(["flash", "attention"]), / flashattention\^8 flash_attention\^8$/)
})

test("a part tells which words it lacks, and what lacks one stands far behind", () => {
  const whole = judged(part("Causal order", { causal: true, mask: true }, 3), ["causal", "mask"], small)
  const half = judged(part("Causal order", { causal: true, mask: false }, 3), ["causal", "mask"], small)
  assert.deepEqual(half.terms, { causal: true, mask: false })
  assert.ok(whole.score > 4 * half.score)
})

test("a stem or both words as one count as held", () => {
  const found = judged(part("x", { scal: true, scaling: false, flashattention: true }), ["scaling", "flash", "attention"], small)
  assert.deepEqual(found.terms, { scaling: true, flash: true, attention: true })
})

test("what bears the words as its name stands before what mentions them", () => {
  const score = (title) => judged(part(title, { causal: true, mask: true }), ["causal", "mask"], small).score
  assert.ok(score("<mark>Causal</mark> <mark>masks</mark>") > score("Add the causal mask"))
  assert.ok(score("Masks (lesson, causal mask)") > score("Masks (lesson)"))
})

test("a word that is nowhere is taken for the one that is most like it", () => {
  const asked = []
  const search = (text) => {
    asked.push(text)
    const hit = { title: "<mark>Softmax</mark>", text: "the <mark>softmax</mark> and <mark>soft</mark>", terms: {}, score: 1 }
    return { items: text === "sofmax~1" ? [[hit]] : [] }
  }
  assert.equal(likest("sofmax", search), "softmax")
  assert.equal(likest("hallucination", search), "hallucination")
  assert.equal(likest("gpt", search), "gpt")
  assert.deepEqual(asked, ["sofmax~1", "hallucination~1", "hallucination~2"])
})

test("only what is nowhere is replaced, and nothing typed asks nothing", () => {
  const asked = []
  const search = (text) => {
    asked.push(text)
    const terms = { softmax: text.startsWith("softmax"), rows: text.includes("rows") }
    return { items: [[{ title: "<mark>softmax</mark>", text: "", location: "x/", terms, score: 1 }]] }
  }
  const { items } = answer("sofmax rows", search, small)
  assert.deepEqual(items[0][0].terms, { softmax: true, rows: true })
  assert.equal(asked.length, 3)
  assert.deepEqual(answer(" ", search, small), { items: [] })
  assert.equal(asked.length, 3)
})

test("pages and their parts stand best first", () => {
  const search = () => ({ items: [[part("a", { key: true }, 1), part("b", { key: true }, 3)], [part("Key", { key: true }, 2)]] })
  const { items } = answer("key", search, small)
  assert.deepEqual(items.map((parts) => parts.map(({ title }) => title)), [["Key"], ["b", "a"]])
})

test("what lacks half of the words is left out where something holds all, the head of a page excepted", () => {
  const all = part("all", { a: true, b: true })
  const half = part("half", { a: true, b: false })
  const head = { ...part("head", { a: false, b: true }), location: "x/" }
  const bare = { ...part("bare", {}), location: "y/" }
  assert.deepEqual(telling([[half, head, all], [half], [all, bare]]), [[head, all], [all, bare]])
  assert.deepEqual(telling([[half, head], [half]]), [[half, head], [half]])
  const most = part("two of three", { a: true, b: true, c: false })
  assert.deepEqual(telling([[part("x", { a: true, b: true, c: true })], [most]]).length, 2)
})
