// The viewer takes the right map out of its file: node --test tests/widgets/
// Compared with the records of the surveys, in which each map stands for itself.

import assert from "node:assert/strict"
import { readFileSync } from "node:fs"
import { test } from "node:test"

import { exact, largest, mapOf, percent, told } from "../../docs/assets/javascripts/widgets/attn-map/maps.js"

const read = (path) => JSON.parse(readFileSync(new URL(`../../${path}`, import.meta.url), "utf8"))

for (const name of ["minilm-en", "e5-en", "e5-es"]) {
  const model = read(`docs/assets/maps/${name}.json`)
  const record = read(`snippets/trained-heads/${name}.json`)
  record.sentences.forEach(({ maps, words }, number) => {
    for (const [head, rows] of Object.entries(maps)) {
      test(`${name}, sentence ${number}: ${head} is the survey's`, () => {
        const [layer, place] = head.slice(1).split("H").map((digits) => digits - 1)
        const found = mapOf(model, model.sentences[number], layer, place)
        assert.deepEqual(model.sentences[number].words, words)
        assert.equal(found.length, words.length)
        found.forEach((row, i) => {
          assert.equal(row.length, words.length)
          row.forEach((weight, j) => assert.ok(Math.abs(weight - 1000 * rows[i][j]) <= 0.51, `${i}, ${j}`))
        })
      })
    }
  })
}

test("a weight is written as it is rounded, and none as zero", () => {
  assert.deepEqual([0, 1, 94, 1000].map(exact), ["less than 0.001", "0.001", "0.094", "1.000"])
  assert.deepEqual([0, 4, 5, 94, 999].map(percent), ["0", "0", "1", "9", "100"])
})

test("a map is told by the largest weight of each row", () => {
  assert.equal(largest([3, 7, 7, 1]), 1)
  assert.equal(told(["a", "b"], [[120, 880], [995, 5]]), "a: b 88 %, b: a 100 %")
})
