// A soft lookup to play with: a query and keys in a plane, to be dragged or typed; weights and answer follow.
// It stands around its presets. Each is a paragraph, the preset's name in bold and the numbers of its query, and below
// it a table: a row for each entry with its name, its key and its value; the head of the values names their numbers.

import { attention } from "../arithmetic.js"
import { button, choice, fixed, h, numbersIn, painter, rowsOf, statusLine, toggle, vector } from "../parts.js"
import { entries, FURTHEST } from "./entries.js"
import { plane } from "./plane.js"

function presetsOf(element) {
  return [...element.querySelectorAll("table")].map((table) => {
    const paragraph = (table.closest(".md-typeset__scrollwrap") ?? table).previousElementSibling
    const rows = rowsOf(table)
    return {
      name: paragraph.querySelector("strong").textContent.replace(/\.$/, ""),
      axes: table.tHead.rows[0].cells[2].textContent.split(":")[1].split(",").map((text) => text.trim()),
      words: rows.map((row) => row[0].textContent.trim()),
      points: [numbersIn(paragraph), ...rows.map((row) => numbersIn(row[1]))], // the query, then the keys
      values: rows.map((row) => numbersIn(row[2])),
    }
  })
}

export function build(element) {
  const presets = presetsOf(element)
  const body = h("div", { class: "attn-body" })
  const status = statusLine("Drag the tip of an arrow, move it with the arrow keys, or type its numbers.")
  const state = { preset: presets[0], points: [], scaled: false }
  let parts = []

  function compute() {
    const [query, ...keys] = state.points
    const options = state.scaled ? {} : { scale: 1 }
    const found = attention([query], keys, state.preset.values, options)
    return Object.fromEntries(Object.entries(found).map(([name, rows]) => [name, rows[0]])) // one query, one row
  }
  function tell() {
    const { weights, output } = compute()
    const shares = state.preset.words.map((word, j) => `${word} ${fixed(100 * weights[j], 0)} %`)
    return `Query ${vector(state.points[0], 1)}. Weights: ${shares.join(", ")}. Answer ${vector(output, 2)}.`
  }
  const paintAll = () => parts.forEach((part) => part.paint(state, compute()))
  const paint = painter(paintAll, status, tell)

  function put(which, place) {
    state.points[which] = place.map((number) => Math.max(-FURTHEST, Math.min(FURTHEST, number)))
    paint()
  }
  function begin(preset) {
    Object.assign(state, { preset, points: [...preset.points] })
    const drawing = plane(state, put)
    const list = entries(state, put)
    parts = [drawing, list]
    body.replaceChildren(
      h("div", { class: "attn-side" }, drawing.element, h("div", { class: "attn-panel" }, list.query, list.answer)),
      list.table)
    paintAll()
  }
  begin(presets[0])
  return h("div", { class: "attn-live", role: "group", "aria-label": "A soft lookup to play with" },
    h("div", { class: "attn-bar" },
      choice("Scene", presets.map((preset) => preset.name), (index) => { begin(presets[index]); paint() }),
      toggle(["divide by √d", h("sub", {}, "k")], (on) => { state.scaled = on; paint() }),
      button("Reset", () => { begin(state.preset); paint() })),
    body, status)
}
