// A soft lookup to play with. It stands around presets: a paragraph each, name in bold and numbers of the query, and
// below it a table, a row for each entry: name, key, value.

import { attention } from "../arithmetic.js"
import {
  button, choice, fixed, h, numberField, numbersIn, painter, rowsOf, say, set, short, show, statusLine, toggle, vector,
} from "../parts.js"
import { plane } from "./plane.js"

const FURTHEST = 9 // a point may lie so far out

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

// The numbers: the fields of query and keys, what becomes of each key, and the answer.
function entries(state, put) {
  const { preset } = state
  const names = ["query", ...preset.words]
  const fields = names.map((name, i) => [0, 1].map((axis) =>
    numberField(`${name}, ${axis ? "second" : "first"} number`, {
      value: state.points[i][axis], min: -FURTHEST, max: FURTHEST,
      change: (number) => put(i, state.points[i].with(axis, number)),
    })))
  const cells = preset.words.map(() => ({ dots: h("td"), score: h("td"), weight: h("span"), bar: h("i") }))
  const rows = preset.words.map((word, j) => {
    const { dots, score, weight, bar } = cells[j]
    return h("tr", {},
      h("th", { scope: "row" }, word, h("small", {}, preset.values[j].map(short).join(", "))),
      h("td", { class: "attn-pair" }, ...fields[j + 1]), dots, score,
      h("td", { class: "attn-weight" }, weight, h("span", { class: "attn-bar-of" }, bar)))
  })
  const heads = ["key", "dot product", "score", "weight"].map((text) => h("th", { scope: "col" }, text))
  const name = h("th", { scope: "col" }, "entry", h("small", {}, "its value"))
  const table = h("table", { class: "attn-table" }, h("thead", {}, h("tr", {}, name, ...heads)), h("tbody", {}, ...rows))
  const query = h("div", { class: "attn-pair" }, h("span", { class: "attn-name" }, "query"), ...fields[0])
  const output = h("output")
  const gauges = preset.axes.map((axis, column) => gauge(axis, preset.values.map((value) => value[column])))
  const answer = h("div", { class: "attn-answer" }, h("span", { class: "attn-name" }, "answer"), output,
    ...gauges.map((one) => one.element))

  function paint({ points }, { dotProducts, scores, weights, output: found }) {
    points.forEach((point, i) => point.forEach((number, axis) => show(fields[i][axis], number)))
    cells.forEach((cell, j) => {
      say(cell.dots, fixed(dotProducts[j], 2))
      say(cell.score, fixed(scores[j], 2))
      say(cell.weight, fixed(weights[j], 3))
      cell.bar.style.transform = `scaleX(${weights[j]})`
    })
    say(output, found.length > 1 ? vector(found, 2) : fixed(found[0], 3))
    gauges.forEach((one, column) => one.paint(weights, found[column]))
  }
  return { table, query, answer, paint }
}

// A line from the smallest value to the largest, with a mark where the blend lies between them.
function gauge(axis, values) {
  const [low, high] = [Math.min(...values), Math.max(...values)]
  const at = (value) => `${(100 * (value - low)) / (high - low)}%`
  const ticks = values.map((value) => h("i", { class: "attn-tick", style: `left: ${at(value)}` }))
  const mark = h("b", { class: "attn-mark" })
  const line = h("div", { class: "attn-line", "aria-hidden": "true" }, ...ticks, mark)
  const element = h("div", { class: "attn-gauge" },
    h("span", {}, axis), h("span", {}, short(low)), line, h("span", {}, short(high)))
  const paint = (weights, blend) => {
    mark.style.left = at(blend)
    ticks.forEach((tick, j) => set(tick, { style: `left: ${at(values[j])}; --share: ${weights[j].toFixed(3)}` }))
  }
  return { element, paint }
}
