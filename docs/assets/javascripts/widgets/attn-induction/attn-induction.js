// The trained induction head to play with: type letters, see both heads' maps and what the model says next.
// It stands around a table of one sequence: a row for each place, with the token in its second column.

import { button, choice, fixed, h, painter, rowsOf, say, set, statusLine } from "../parts.js"
import { mapOf } from "./map.js"
import { forward, longest, ranked, read, tokensOf } from "./model.js"

const file = await fetch(new URL("parameters.json", import.meta.url))
if (!file.ok) throw new Error(`parameters.json cannot be had: ${file.status}`)
const model = read(await file.json())

const HEADS = ["first head", "second head"]
const GUESSES = 3

export function build(element) {
  const start = rowsOf(element.querySelector("table")).map((row) => row[1].textContent.trim()).join("")
  const state = { tokens: [], row: 0, without: null, found: null }
  const status = statusLine("Type letters, and go through the rows with the slider or a click on a map.")
  const signOf = (place) => model.signs[state.tokens[place]]

  const field = h("input", {
    type: "text", value: start, maxlength: longest(model), autocomplete: "off", autocapitalize: "off", spellcheck: "false",
  })
  const slider = h("input", { type: "range", min: 0, value: 0, step: 1 })
  const maps = HEADS.map((name, layer) => mapOf(name, layer, (row) => choose(row)))
  const looks = HEADS.map(() => ({ where: h("td"), weight: h("td") }))
  const guesses = Array.from({ length: GUESSES }, () => ({ sign: h("td"), share: h("span"), bar: h("i") }))
  const asks = h("output")

  function looked(layer) {
    const weights = state.found.weights[layer][state.row]
    const [at] = ranked(weights, 1)
    return { at, weight: weights[at] }
  }
  const said = () => ranked(state.found.shares[state.row], GUESSES)

  function tell() {
    if (!state.tokens.length) return "Nothing to read yet: type some letters."
    const heads = HEADS.map((name, layer) => {
      const { at, weight } = looked(layer)
      return `${name} looks at ${signOf(at)}, place ${at}, weight ${fixed(weight, 2)}`
    })
    const [next] = said()
    const share = fixed(state.found.shares[state.row][next], 2)
    return `Place ${state.row}, ${signOf(state.row)}: ${heads.join("; ")}. Says next: ${model.signs[next]}, share ${share}.`
  }
  function paintAll() {
    const empty = !state.tokens.length
    const signs = state.tokens.map((_, place) => signOf(place))
    maps.forEach((map, layer) => map.paint(signs, state.found.weights[layer], state.row, layer === state.without))
    set(slider, { max: Math.max(0, signs.length - 1) })
    slider.disabled = empty
    slider.value = state.row
    say(asks, empty ? "–" : `${signOf(state.row)}, place ${state.row}`)
    slider.setAttribute("aria-valuetext", asks.textContent)
    looks.forEach(({ where, weight }, layer) => {
      const found = empty ? null : looked(layer)
      say(where, found ? `${signOf(found.at)}, place ${found.at}` : "–")
      say(weight, found ? fixed(found.weight, 2) : "–")
    })
    const next = empty ? [] : said()
    guesses.forEach(({ sign, share, bar }, rank) => {
      const found = empty ? 0 : state.found.shares[state.row][next[rank]]
      say(sign, empty ? "–" : model.signs[next[rank]])
      say(share, empty ? "–" : fixed(found, 2))
      bar.style.transform = `scaleX(${found})`
    })
  }
  const paint = painter(paintAll, status, tell)

  function compute() {
    state.tokens = tokensOf(model, field.value)
    state.found = forward(model, state.tokens, state.without)
    state.row = Math.max(0, state.tokens.length - 1)
  }
  function choose(row) {
    state.row = Math.min(state.tokens.length - 1, row)
    paint()
  }
  function anew() {
    compute()
    paint()
  }
  field.addEventListener("input", anew)
  slider.addEventListener("input", () => choose(slider.valueAsNumber))
  const leave = choice("Leave out", ["no head", ...HEADS.map((name) => `the ${name}`)], (index) => {
    state.without = index ? index - 1 : null
    anew()
  })
  compute()
  paintAll()

  return h("div", { class: "attn-live attn-induction", role: "group", "aria-label": "A trained induction head to play with" },
    h("div", { class: "attn-bar" },
      h("label", { class: "attn-choice" }, h("span", {}, "Sequence"), field),
      leave,
      button("Reset", () => {
        field.value = start
        state.without = null
        leave.querySelector("select").selectedIndex = 0
        anew()
      })),
    h("div", { class: "attn-maps" }, ...maps.map((map) => map.element)),
    h("label", { class: "attn-asks" }, h("span", {}, "Who asks"), slider, asks),
    h("div", { class: "attn-tables" },
      h("table", { class: "attn-table" },
        h("thead", {}, h("tr", {}, ...["head", "looks at", "weight"].map((text) => h("th", { scope: "col" }, text)))),
        h("tbody", {}, ...HEADS.map((name, layer) =>
          h("tr", {}, h("th", { scope: "row" }, name), looks[layer].where, looks[layer].weight)))),
      h("table", { class: "attn-table" },
        h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "says next"), h("th", { scope: "col" }, "share"))),
        h("tbody", {}, ...guesses.map(({ sign, share, bar }) => h("tr", { class: "attn-guess" }, sign,
          h("td", { class: "attn-weight" }, share, h("span", { class: "attn-bar-of" }, bar))))))),
    status)
}
