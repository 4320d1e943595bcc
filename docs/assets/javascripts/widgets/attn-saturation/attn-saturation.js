// A random query and eight random keys of any length: how their scores spread, and what that does to the softmax.
// It stands around a table with the lengths of a key in its first column; it starts at the length in the paragraph
// above the table.

import { dotProductsOf, draw, mean, softmax, spread, steepest } from "../arithmetic.js"
import { button, fixed, h, numberField, numbersIn, painter, rowsOf, s, say, set, show, statusLine, toggle } from "../parts.js"

const KEYS = 8
const DRAWS = 300
const EDGE = 40 // the line of scores reaches so far, each way
const BINS = 80
const HALF = 260 // of the drawing's width, in its own units
const UNIT = HALF / EDGE

function startOf(element) {
  const table = element.querySelector("table")
  const paragraph = (table.closest(".md-typeset__scrollwrap") ?? table).previousElementSibling
  return { d_k: numbersIn(paragraph)[0], lengths: rowsOf(table).map((row) => numbersIn(row[0])[0]) }
}

export function build(element) {
  const start = startOf(element)
  const longest = Math.max(...start.lengths)
  const state = { d_k: start.d_k, scaled: false, seed: 6 }
  const status = statusLine("Move the slider: without the root, large keys make one winner, by luck.")
  let draws = []
  const drawAll = () => { draws = Array.from({ length: DRAWS }, (_, i) => draw(DRAWS * state.seed + i, KEYS, longest)) }
  drawAll()

  function compute() {
    const divisor = state.scaled ? Math.sqrt(state.d_k) : 1
    const scores = draws.map((one) => dotProductsOf(one, state.d_k).map((x) => x / divisor)) // (DRAWS, KEYS)
    const weights = scores.map(softmax)
    const slopes = weights.map(steepest)
    return { scores, weights, winners: weights.map((row) => Math.max(...row)), slopes, spread: spread(scores.flat()) }
  }

  const hill = s("path", { class: "hill" })
  const band = s("path", { class: "band" })
  const ticks = [-30, -20, -10, 0, 10, 20, 30].map((at) => s("text", { class: "tick", x: at * UNIT, y: 17 }, fixed(at, 0)))
  const drawing = s("svg", { class: "attn-drawing attn-hill", viewBox: `${-HALF} -80 ${2 * HALF} 100`, "aria-hidden": "true" },
    s("text", { class: "label", x: -258, y: -64 }, `scores of ${DRAWS} draws`), hill, s("path", { class: "axis", d: `M${-HALF} 0H${HALF}` }), band, ...ticks)

  const rows = Array.from({ length: KEYS }, (_, j) => {
    const parts = { score: h("td"), dot: h("i"), weight: h("span"), bar: h("i") }
    const element = h("tr", {}, h("th", { scope: "row" }, `${j + 1}`),
      h("td", { class: "attn-track" }, h("span", {}, parts.dot)), parts.score,
      h("td", { class: "attn-weight" }, parts.weight, h("span", { class: "attn-bar-of" }, parts.bar)))
    return { ...parts, element }
  })
  const place = h("th", { scope: "col", class: "attn-track" }, "where its score lies")
  const keys = h("table", { class: "attn-table" },
    h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "key"), place,
      ...["score", "weight"].map((text) => h("th", { scope: "col" }, text)))),
    h("tbody", {}, ...rows.map((row) => row.element)))

  const facts = ["spread of the scores", "largest weight", "steepest slope"].map((name) => {
    const [now, usual] = [h("output"), h("output")]
    return { now, usual, element: h("tr", {}, h("th", { scope: "row" }, name), h("td", {}, now), h("td", {}, usual)) }
  })
  const summary = h("table", { class: "attn-table attn-facts" },
    h("thead", {}, h("tr", {}, h("td"), h("th", { scope: "col" }, "this draw"),
      h("th", { scope: "col" }, `${DRAWS} draws`))),
    h("tbody", {}, ...facts.map((fact) => fact.element)))

  function paintAll() {
    const { scores, weights, winners, slopes, spread: wide } = compute()
    rows.forEach((row, j) => {
      const at = Math.max(-EDGE, Math.min(EDGE, scores[0][j]))
      row.dot.style.transform = `translateX(${((50 * at) / EDGE).toFixed(2)}cqw)`
      say(row.score, fixed(scores[0][j], 2))
      say(row.weight, fixed(weights[0][j], 2))
      row.bar.style.transform = `scaleX(${weights[0][j].toFixed(3)})`
    })
    set(hill, { d: outline(scores) })
    const reach = Math.min(wide, EDGE) * UNIT
    set(band, { d: `M${-reach} 3H${reach}` })
    const texts = [[spread(scores[0]), wide], [winners[0], mean(winners)], [slopes[0], mean(slopes)]]
    texts.forEach(([now, usual], i) => {
      say(facts[i].now, fixed(now, i ? 3 : 1))
      say(facts[i].usual, fixed(usual, i ? 3 : 1))
    })
    // Left where it stands for the same length: else the arrow keys, a fraction at a time, would never get to the next.
    if (Math.round(2 ** slider.valueAsNumber) !== state.d_k) slider.value = Math.log2(state.d_k)
    slider.setAttribute("aria-valuetext", `${state.d_k} numbers in a key`)
    show(field, state.d_k)
  }
  // How often a score falls into each bin; the highest bin has the full height.
  function outline(scores) {
    const counts = new Array(BINS).fill(0)
    for (const score of scores.flat()) {
      const bin = Math.floor(((score + EDGE) * BINS) / (2 * EDGE))
      if (bin >= 0 && bin < BINS) counts[bin] += 1
    }
    const top = Math.max(...counts)
    const steps = counts.map((count, bin) => `V${((-72 * count) / top).toFixed(1)}H${((bin + 1) / BINS) * 2 * HALF - HALF}`)
    return `M${-HALF} 0${steps.join("")}V0Z`
  }
  const tell = () => {
    const { winners, slopes, spread: wide } = compute()
    return `Keys of ${state.d_k} numbers, ${state.scaled ? "divided by the root" : "not divided"}: the scores spread by `
      + `${fixed(wide, 1)}, the largest weight averages ${fixed(mean(winners), 2)}, the steepest slope ${fixed(mean(slopes), 2)}.`
  }
  const paint = painter(paintAll, status, tell)
  const change = (d_k) => { state.d_k = Math.max(1, Math.min(longest, Math.round(d_k))); paint() }
  const slider = h("input", {
    type: "range", min: 0, max: Math.log2(longest), step: 0.25, value: Math.log2(state.d_k), "aria-label": "numbers in a key, d_k",
    oninput: () => change(2 ** slider.valueAsNumber),
  })
  const field = numberField("numbers in a key, d_k", { value: state.d_k, min: 1, max: longest, step: 1, change })
  const root = toggle(["divide by √d", h("sub", {}, "k")], (on) => { state.scaled = on; paint() })
  paintAll()
  return h("div", { class: "attn-live", role: "group", "aria-label": "Saturation, to play with" },
    h("div", { class: "attn-bar" }, root, button("Draw again", () => { state.seed += 1; drawAll(); paint() })),
    h("div", { class: "attn-slide" }, h("span", {}, "d", h("sub", {}, "k")), slider, field),
    drawing, summary, keys, status)
}
