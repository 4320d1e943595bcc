// The numbers of a soft lookup: the fields of query and keys, what becomes of each key, and the answer.

import { fixed, h, numberField, say, set, short, show, vector } from "../parts.js"

export const FURTHEST = 9 // a point may lie so far out

export function entries(state, put) {
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
