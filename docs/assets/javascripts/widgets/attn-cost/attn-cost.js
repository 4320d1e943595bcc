// What a layer costs, for any length and width: work and memory of three kinds of layers.
// It stands around a paragraph with the numbers that it starts from (tokens, width, window) and a table.

import { costs } from "../arithmetic.js"
import { button, choice, fixed, h, numberField, numbersIn, painter, s, say, set, show, statusLine } from "../parts.js"

const KINDS = [["selfAttention", "self-attention"], ["recurrent", "recurrent"], ["windowed", "window"]]
const SIZES = {
  n: { name: "tokens", least: 4, most: 17 }, // powers of two
  d: { name: "width", least: 4, most: 13 },
  r: { name: "window", least: 2, most: 12 },
}
const MEASURES = { work: "multiplications", memory: "numbers kept" }
const POWERS = { work: [3, 6, 9, 12, 15], memory: [1, 3, 5, 7, 9, 11] } // of ten, where a line is drawn
const [LEFT, RIGHT, TOP, BOTTOM] = [44, 386, 12, 204]

// 8,589,934,592 as 8.59 billion: three digits, and a word for the rest.
const WORDS = [["", 1], ["thousand", 1e3], ["million", 1e6], ["billion", 1e9], ["trillion", 1e12], ["quadrillion", 1e15]]
export function large(number) {
  const [word, unit] = WORDS.findLast(([, size]) => number >= size) ?? WORDS[0]
  const digits = number / unit
  return word ? `${digits.toPrecision(3)} ${word}` : `${digits}`
}
const grouped = (number) => number.toLocaleString("en")

export function build(element) {
  const table = element.querySelector("table")
  const paragraph = (table.closest(".md-typeset__scrollwrap") ?? table).previousElementSibling
  const [n, d, r] = numbersIn(paragraph)
  const start = { n, d, r, measure: "work" }
  const state = { ...start }
  const status = statusLine("Move the sliders. The lines are drawn on scales on which each step multiplies.")

  const lines = KINDS.map(([kind]) => s("path", { class: `line ${kind}` }))
  const dots = KINDS.map(([kind]) => s("circle", { class: `dot ${kind}`, r: 5 }))
  const labels = KINDS.map(([, name]) => s("text", { class: "label" }, name))
  const here = s("path", { class: "here" })
  const across = (length) => LEFT + ((Math.log2(length) - SIZES.n.least) / (SIZES.n.most - SIZES.n.least)) * (RIGHT - LEFT)
  const up = (amount) => {
    const [lowest, highest] = [POWERS[state.measure][0], POWERS[state.measure].at(-1)]
    return BOTTOM - ((Math.log10(amount) - lowest) / (highest - lowest)) * (BOTTOM - TOP)
  }
  const scales = Object.entries(POWERS).map(([measure, powers]) => s("g", { class: measure }, ...powers.flatMap((power) => {
    const y = BOTTOM - ((power - powers[0]) / (powers.at(-1) - powers[0])) * (BOTTOM - TOP)
    return [s("path", { class: "grid", d: `M${LEFT} ${y}H${RIGHT}` }),
      s("text", { class: "tick left", x: LEFT - 5, y: y + 4 }, "10", s("tspan", { dy: -5 }, power))]
  })))
  const drawing = s("svg", { class: "attn-drawing attn-chart", viewBox: "0 0 520 226", "aria-hidden": "true" }, ...scales,
    ...[4, 8, 12, 16].map((power) => s("text", { class: "tick", x: across(2 ** power), y: BOTTOM + 15 }, grouped(2 ** power))),
    here, ...lines, ...dots, ...labels)

  const rows = KINDS.map(([kind, name]) => {
    const cells = [h("td"), h("td"), h("td"), h("td")]
    const key = s("svg", { class: "attn-drawing attn-chart attn-key", viewBox: "0 0 30 10", "aria-hidden": "true" },
      s("path", { class: `line ${kind}`, d: "M0 5H30" }), s("circle", { class: `dot ${kind}`, cx: 15, cy: 5, r: 4 }))
    return { cells, element: h("tr", {}, h("th", { scope: "row" }, key, name), ...cells) }
  })
  const heads = ["multi\u00adplications", "numbers kept", "steps in a row", "twice the text"]
  const costTable = h("table", { class: "attn-table" },
    h("thead", {}, h("tr", {}, h("td"), ...heads.map((text) => h("th", { scope: "col" }, text)))),
    h("tbody", {}, ...rows.map((row) => row.element)))

  function paintAll() {
    const { n, d, r, measure } = state
    const found = costs(n, d, r)
    const twice = costs(2 * n, d, r)
    const powers = Array.from({ length: SIZES.n.most - SIZES.n.least + 1 }, (_, i) => 2 ** (SIZES.n.least + i))
    const heights = KINDS.map(([kind]) => up(costs(powers.at(-1), d, r)[kind][measure]))
    scales.forEach((scale) => set(scale, { visibility: scale.classList.contains(measure) ? "visible" : "hidden" }))
    set(here, { d: `M${across(n)} ${TOP}V${BOTTOM}` })
    KINDS.forEach(([kind], i) => {
      const points = powers.map((length) => `${across(length).toFixed(1)} ${up(costs(length, d, r)[kind][measure]).toFixed(1)}`)
      set(lines[i], { d: `M${points.join("L")}` })
      set(dots[i], { cx: across(n), cy: up(found[kind][measure]) })
      set(labels[i], { x: RIGHT + 8, y: apart(heights, i) + 4 })
      const growth = twice[kind][measure] / found[kind][measure]
      const texts = [large(found[kind].work), large(found[kind].memory), grouped(found[kind].steps), `× ${fixed(growth, growth % 1 ? 2 : 0)}`]
      texts.forEach((text, column) => say(rows[i].cells[column], text))
    })
    for (const [name, control] of Object.entries(controls)) {
      control.slider.value = Math.log2(state[name])
      control.slider.setAttribute("aria-valuetext", `${state[name]} ${SIZES[name].name}`)
      show(control.field, state[name])
    }
  }
  const tell = () => {
    const found = costs(state.n, state.d, state.r)
    const parts = KINDS.map(([kind, name]) => `${name} ${large(found[kind][state.measure])}`)
    const ratio = found.selfAttention.work / found.recurrent.work
    const compared = ratio === 1 ? "as many multiplications as" : ratio > 1 ? `${short3(ratio)} times the multiplications of`
      : `1/${short3(1 / ratio)} of the multiplications of`
    return `${grouped(state.n)} tokens of ${grouped(state.d)} numbers, ${MEASURES[state.measure]}: ${parts.join(", ")}. `
      + `Self-attention takes ${compared} a recurrent layer.`
  }
  const paint = painter(paintAll, status, tell)
  const controls = Object.fromEntries(Object.entries(SIZES).map(([name, { name: word, least, most }]) => {
    const change = (size) => { state[name] = Math.max(2 ** least, Math.min(2 ** most, Math.round(size))); paint() }
    const label = `${word} (${name})`
    const slider = h("input", {
      type: "range", min: least, max: most, step: 1, value: Math.log2(state[name]), "aria-label": label,
      oninput: () => change(2 ** slider.valueAsNumber),
    })
    const field = numberField(label, { value: state[name], min: 2 ** least, max: 2 ** most, step: 1, change })
    return [name, { slider, field, element: h("div", { class: "attn-slide" }, h("span", {}, `${word} `, h("i", {}, name)), slider, field) }]
  }))
  paintAll()
  return h("div", { class: "attn-live", role: "group", "aria-label": "Costs to play with" },
    h("div", { class: "attn-bar" },
      choice("Draw", Object.values(MEASURES), (index) => { state.measure = Object.keys(MEASURES)[index]; paint() }),
      button("Twice the text", () => { state.n = Math.min(2 ** SIZES.n.most, 2 * state.n); paint() }),
      button("Reset", () => { Object.assign(state, { ...start, measure: state.measure }); paint() })),
    ...Object.values(controls).map((control) => control.element), drawing, costTable, status)
}

const short3 = (number) => (number >= 100 ? grouped(Math.round(number)) : String(Number(number.toPrecision(3))))

// Labels at the ends of lines that meet are kept a line of text apart.
function apart(heights, index) {
  const order = [...heights.keys()].sort((a, b) => heights[a] - heights[b])
  let last = -Infinity
  const placed = []
  for (const i of order) placed[i] = last = Math.max(heights[i], last + 15)
  return placed[index]
}
