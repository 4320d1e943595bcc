// One number on its way: step by step from the dot product of a query with a key to that key's part of the output.
// It stands around a table, a row for each word with its key in the second column and its value in the last one, and
// below a paragraph with the numbers of the query.

import { attention, dot } from "../arithmetic.js"
import { button, choice, fixed, h, numberField, numbersIn, painter, rowsOf, say, short, show, statusLine, toggle }
  from "../parts.js"

const FURTHEST = 9
const STEPS = ["dot product", "scale", "mask", "softmax", "blend"]
const AHEAD = [
  "number by number, then added", "divided by the root of the size of a key", "may this word be heard?",
  "its power, as a share of all powers", "its value, turned down to its share",
]

const list = (numbers, digits) => `[${numbers.map((number) => fixed(number, digits)).join(", ")}]`
const plain = (numbers) => `[${numbers.map(short).join(", ")}]`
// A power that is small keeps two digits that count: 0.00 would not give the share.
const power = (number) => fixed(number, number < 0.1 && number ? 1 - Math.floor(Math.log10(number)) : 2)
const bracketed = (number) => (number < 0 ? `(${short(number)})` : short(number))

function startOf(element) {
  const table = element.querySelector("table")
  const paragraph = (table.closest(".md-typeset__scrollwrap") ?? table).previousElementSibling
  const rows = rowsOf(table)
  return {
    query: numbersIn(paragraph),
    words: rows.map((row) => row[0].textContent.trim()),
    keys: rows.map((row) => numbersIn(row[1])),
    values: rows.map((row) => numbersIn(row.at(-1))),
  }
}

export function build(element) {
  const start = startOf(element)
  const { words, keys, values } = start
  const state = { query: start.query, word: 0, step: 0, heard: words.map(() => true) }
  const status = statusLine("Go from step to step; choose another word, or turn the query.")

  function compute() {
    const { dotProducts, scores, weights, output } = attention([state.query], keys, values, { mask: [state.heard] })
    const masked = scores[0].map((score, j) => (state.heard[j] ? score : -Infinity))
    return { dotProducts: dotProducts[0], scores: scores[0], masked, powers: masked.map(Math.exp), weights: weights[0], output: output[0] }
  }

  // What each step says of the chosen word: how it is computed, and what comes out.
  function lines({ dotProducts, scores, masked, powers, weights, output }) {
    const { query, word: j } = state
    const terms = query.map((number, axis) => `${short(number)} · ${bracketed(keys[j][axis])}`).join(" + ")
    const total = powers.reduce((sum, one) => sum + one, 0)
    const nobody = total === 0
    const part = values[j].map((number) => weights[j] * number)
    return [
      [`${terms}`, short(dot(query, keys[j]))],
      [`${short(dotProducts[j])} / √${query.length} = ${short(dotProducts[j])} / ${fixed(Math.sqrt(query.length), 3)}`, fixed(scores[j], 3)],
      [state.heard[j] ? "may be heard: the score stays" : "may not be heard: minus infinity", fixed(masked[j], 3)],
      [nobody ? "nobody may be heard: no weight for anyone"
        : `exp(${fixed(masked[j], 3)}) / total = ${power(powers[j])} / (${powers.map(power).join(" + ")})`,
        fixed(weights[j], 3)],
      [`${fixed(weights[j], 3)} · ${plain(values[j])} = ${list(part, 2)}, and added up over all words`, list(output, 2)],
    ]
  }
  const columns = ({ dotProducts, scores, masked, weights }) => [
    dotProducts.map(short), scores.map((score) => fixed(score, 2)), masked.map((score) => fixed(score, 2)),
    weights.map((weight) => fixed(weight, 3)),
    weights.map((weight, j) => list(values[j].map((number) => weight * number), 2)),
  ]

  const items = STEPS.map((name) => {
    const [how, result] = [h("span", { class: "attn-how" }), h("output")]
    const item = h("li", {}, h("span", { class: "attn-name" }, name), how, h("span", { class: "attn-gives" }, "= ", result))
    return { item, how, result }
  })
  const marks = words.map(() => h("td"))
  const heads = words.map((word) => h("th", { scope: "col" }, word))
  const what = h("caption", {}, "")
  const all = h("table", { class: "attn-table attn-all" }, what,
    h("thead", {}, h("tr", {}, ...heads)), h("tbody", {}, h("tr", {}, ...marks)))

  const back = button("Back", () => go(state.step - 1))
  const next = button("Next step", () => go(state.step + 1))
  const slider = h("input", {
    type: "range", min: 1, max: STEPS.length, step: 1, value: 1, "aria-label": "step", oninput: () => go(slider.valueAsNumber - 1),
  })
  const heard = toggle("may be heard", (on) => { state.heard[state.word] = on; paint() }, true)
  const words_ = choice("Word", words, (index) => { state.word = index; paint() })
  const fields = [0, 1].map((axis) => numberField(`query, ${axis ? "second" : "first"} number`, {
    value: state.query[axis], min: -FURTHEST, max: FURTHEST, step: 0.5,
    change: (number) => { state.query = state.query.with(axis, number); paint() },
  }))

  function go(step) {
    state.step = Math.max(0, Math.min(STEPS.length - 1, step))
    paint()
  }
  function paintAll() {
    const found = compute()
    const { step, word } = state
    lines(found).forEach(([how, result], index) => {
      const { item } = items[index]
      say(items[index].how, index <= step ? how : AHEAD[index])
      say(items[index].result, index <= step ? result : "")
      item.className = index < step ? "attn-done" : index === step ? "attn-now" : "attn-later"
    })
    columns(found)[step].forEach((text, j) => {
      say(marks[j], text)
      for (const cell of [marks[j], heads[j]]) cell.className = j === word ? "attn-here" : ""
    })
    say(what, `All words after step ${step + 1}, ${STEPS[step]}`)
    slider.value = step + 1
    slider.setAttribute("aria-valuetext", `${step + 1}: ${STEPS[step]}`)
    back.disabled = step === 0
    next.disabled = step === STEPS.length - 1
    heard.querySelector("input").checked = state.heard[word]
    fields.forEach((field, axis) => show(field, state.query[axis]))
  }
  const tell = () => {
    const [how, result] = lines(compute())[state.step]
    return `${words[state.word]}, ${STEPS[state.step]}: ${how} gives ${result}.`
  }
  const paint = painter(paintAll, status, tell)
  paintAll()
  return h("div", { class: "attn-live", role: "group", "aria-label": "One number, step by step" },
    h("div", { class: "attn-bar" }, words_,
      h("span", { class: "attn-pair" }, h("span", {}, "query "), ...fields), heard,
      button("Reset", () => {
        Object.assign(state, { query: start.query, step: 0, heard: words.map(() => true) })
        paint()
      })),
    h("ol", { class: "attn-chain" }, ...items.map(({ item }) => item)),
    h("div", { class: "attn-stepper" }, back, slider, next), all, status)
}
