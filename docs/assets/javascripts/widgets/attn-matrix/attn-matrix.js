// An attention matrix to play with: pick a row, switch masks on and off, watch the row sums.
// It stands around its scenes. Each is a paragraph, the scene's name in bold, and below it a table: a column for each
// word that is asked, first a row with its key, then one with its value; below these a row for each word that asks,
// with its query.

import { attention, blend, cut, maskOf } from "../arithmetic.js"
import { button, choice, fixed, h, numberField, numbersIn, painter, rowsOf, say, show, statusLine, toggle, vector }
  from "../parts.js"

function scenesOf(element) {
  return [...element.querySelectorAll("table")].map((table) => {
    const paragraph = (table.closest(".md-typeset__scrollwrap") ?? table).previousElementSibling
    const [keys, values, ...askers] = rowsOf(table)
    const inner = (cells) => cells.slice(2, -1)
    return {
      name: paragraph.querySelector("strong").textContent.replace(/\.$/, ""),
      asked: inner([...table.tHead.rows[0].cells]).map((cell) => cell.textContent.trim()),
      asks: askers.map((row) => row[0].textContent.trim()),
      Q: askers.map((row) => numbersIn(row[1])), // (L_q, d_k)
      K: inner(keys).map(numbersIn), // (L_k, d_k)
      V: inner(values).map(numbersIn), // (L_k, d_v)
    }
  })
}

export function build(element) {
  const scenes = scenesOf(element)
  const state = { scene: scenes[0], row: 0, causal: false, padding: 0, after: false }
  const status = statusLine("Pick a row with the mouse or the arrow keys, and switch the masks on.")
  const body = h("div", { class: "attn-body" })
  let parts = null

  function compute() {
    const { Q, K, V } = state.scene
    const mask = maskOf(Q.length, K.length, state)
    if (!state.after) return { mask, ...attention(Q, K, V, { mask }) }
    const { scores, weights: open } = attention(Q, K, V)
    const weights = cut(open, mask)
    return { mask, scores, open, weights, output: weights.map((row) => blend(row, V)) }
  }
  const sum = (row) => row.reduce((total, weight) => total + weight, 0)
  function tell() {
    const { weights, output } = compute()
    const { asks, asked } = state.scene
    const row = weights[state.row]
    const shares = asked.map((word, j) => `${word} ${fixed(row[j], 2)}`).join(", ")
    return `${asks[state.row]} gives: ${shares}. Row sum ${fixed(sum(row), 2)}. Output ${vector(output[state.row], 2)}.`
  }
  const paintAll = () => parts(compute())
  const paint = painter(paintAll, status, tell)

  function begin(scene) {
    Object.assign(state, { scene, row: 0, padding: Math.min(state.padding, scene.K.length) })
    const [map, detail] = [mapOf(state, paint), detailOf(state)]
    parts = (found) => { map.paint(found, sum); detail.paint(found) }
    padding.max = scene.K.length
    body.replaceChildren(map.element, detail.element)
    paintAll()
  }
  const padding = numberField("Filler at the end: how many keys", {
    value: 0, min: 0, max: scenes[0].K.length, step: 1,
    change: (number) => { state.padding = number; paint() },
  })
  const causal = toggle("causal", (on) => { state.causal = on; paint() })
  const after = toggle("mask after the softmax (the slip)", (on) => { state.after = on; paint() })
  const bar = h("div", { class: "attn-bar" },
    choice("Scene", scenes.map((scene) => scene.name), (index) => { begin(scenes[index]); paint() }),
    causal, h("label", { class: "attn-toggle" }, h("span", {}, "filler keys"), padding), after,
    button("Reset", () => {
      Object.assign(state, { causal: false, padding: 0, after: false })
      for (const one of [causal, after]) one.querySelector("input").checked = false
      show(padding, 0)
      begin(state.scene)
      paint()
    }))
  begin(scenes[0])
  return h("div", { class: "attn-live", role: "group", "aria-label": "An attention matrix to play with" }, bar, body, status)
}

// Both tables have the same columns, so that a weight stands below its cell.
const columnsOf = (words) => h("colgroup", {}, h("col"), h("col", { span: words.length + 1 }))
const head = (text) => h("th", { scope: "col" }, text)

// The map: a row for each word that asks, with a button to pick it, and a column for each word that is asked.
function mapOf(state, paint) {
  const { asks, asked } = state.scene
  const group = `attn-row-${Math.random().toString(36).slice(2)}`
  const heads = asked.map(head)
  const cells = asks.map(() => asked.map(() => h("td", { class: "attn-cell" })))
  const sums = asks.map(() => h("td", { class: "attn-sum" }))
  const columns = asked.map(() => h("td"))
  const rows = asks.map((word, i) => {
    const pick = h("input", {
      type: "radio", name: group, checked: i === state.row, onchange: () => { state.row = i; paint() },
    })
    const row = h("tr", { onclick: () => { if (!pick.checked) pick.click() } },
      h("th", { scope: "row" }, h("label", { class: "attn-toggle" }, pick, h("span", {}, word))), ...cells[i], sums[i])
    return row
  })
  const element = h("table", { class: "attn-table attn-map" }, columnsOf(asked),
    h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "who asks"), ...heads, head("row sum"))),
    h("tbody", {}, ...rows),
    h("tfoot", {}, h("tr", {}, h("th", { scope: "row" }, "column sum"), ...columns, h("td"))))

  return { element, paint({ mask, weights }, sum) {
    rows.forEach((row, i) => {
      row.className = i === state.row ? "attn-picked" : ""
      cells[i].forEach((cell, j) => {
        cell.className = mask[i][j] ? "attn-cell" : "attn-cell attn-hidden"
        cell.style.setProperty("--share", weights[i][j].toFixed(3))
        say(cell, mask[i][j] ? fixed(weights[i][j], 2) : "hidden")
      })
      const total = sum(weights[i])
      say(sums[i], fixed(total, 2))
      sums[i].className = Math.abs(total - 1) > 1e-9 ? "attn-sum attn-short" : "attn-sum"
    })
    asked.forEach((word, j) => {
      say(columns[j], fixed(sum(weights.map((row) => row[j])), 2))
      heads[j].className = j < asked.length - state.padding ? "" : "attn-filler"
    })
  } }
}

// What becomes of the picked row.
function detailOf(state) {
  const { asked } = state.scene
  const names = ["score", "masked", "weight"]
  const cells = names.map(() => asked.map(() => h("td")))
  const heads = names.map((name) => h("th", { scope: "row" }, name))
  const rows = names.map((_, line) => h("tr", {}, heads[line], ...cells[line], h("td")))
  const title = h("caption", {}, "")
  const output = h("output")
  const table = h("table", { class: "attn-table attn-map" }, title, columnsOf(asked),
    h("thead", { class: "attn-unseen" }, h("tr", {}, h("td"), ...asked.map(head), h("td"))), h("tbody", {}, ...rows))
  const element = h("div", {}, table, h("p", { class: "attn-line-of" }, h("span", { class: "attn-name" }, "output "), output))
  return { element, paint({ mask, scores, open, weights, output: found }) {
    const i = state.row
    const between = (j, score) => (open ? fixed(open[i][j], 2) : mask[i][j] ? score : "−∞")
    say(title, `The row of “${state.scene.asks[i]}”, step by step`)
    asked.forEach((_, j) => {
      const [score, weight] = [fixed(scores[i][j], 2), fixed(weights[i][j], 2)]
      say(cells[0][j], score)
      say(cells[1][j], between(j, score))
      say(cells[2][j], weight)
    })
    say(heads[1], open ? "weight" : "masked")
    say(heads[2], open ? "cut" : "weight")
    say(output, vector(found[i], 2))
  } }
}
