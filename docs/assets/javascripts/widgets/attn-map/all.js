// All heads of a network as small maps, a row for each layer. One of them is the chosen one, as with radio buttons:
// a click or the arrow keys choose another. The larger its weight, the stronger a cell's colour.

import { h } from "../parts.js"
import { mapOf } from "./maps.js"

const STEPS = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] }

function draw(canvas, map, [red, green, blue]) {
  const n = map.length
  Object.assign(canvas, { width: n, height: n }) // the stylesheet makes it larger
  const picture = new ImageData(n, n)
  map.flat().forEach((weight, cell) => picture.data.set([red, green, blue, Math.round(0.255 * weight)], 4 * cell))
  canvas.getContext("2d").putImageData(picture, 0, 0)
}

export function all(model, turn) {
  const maps = Array.from({ length: model.layers }, (_, layer) =>
    Array.from({ length: model.heads }, (_, head) =>
      h("canvas", {
        role: "radio", "aria-checked": "false", "aria-label": `layer ${layer + 1}, head ${head + 1}`, tabindex: -1,
      })))
  const numbers = h("div", { "aria-hidden": "true" }, h("span"),
    ...maps[0].map((_, head) => h("span", {}, head + 1)))
  const rows = maps.map((row, layer) =>
    h("div", { role: "presentation" }, h("span", { "aria-hidden": "true" }, layer + 1), ...row))
  const grid = h("div", { class: "attn-map-all", role: "radiogroup", "aria-label": "All heads, a row for each layer" },
    numbers, ...rows)
  grid.style.setProperty("--heads", model.heads)
  const element = h("div", { class: "attn-map-side" },
    h("p", { class: "attn-name" }, "All heads: a row for each layer, a column for each head"), grid)
  let drawn = null // what the small maps show: sentence and colour
  let chosen = { layer: 0, head: 0 }

  const placeOf = (target) => {
    const layer = maps.findIndex((row) => row.includes(target))
    return layer < 0 ? null : { layer, head: maps[layer].indexOf(target) }
  }
  grid.addEventListener("click", ({ target }) => { if (placeOf(target)) turn(placeOf(target)) })
  grid.addEventListener("keydown", (event) => {
    const step = STEPS[event.key]
    if (!step || event.altKey || event.ctrlKey || event.metaKey) return
    event.preventDefault()
    const layer = Math.max(0, Math.min(model.layers - 1, chosen.layer + step[0]))
    const head = Math.max(0, Math.min(model.heads - 1, chosen.head + step[1]))
    turn({ layer, head })
    maps[layer][head].focus()
  })

  function paint(sentence, { layer, head }) {
    const colour = getComputedStyle(grid).color
    if (drawn?.sentence !== sentence || drawn.colour !== colour) {
      const channels = colour.match(/[\d.]+/g).slice(0, 3).map(Number)
      maps.forEach((row, l) => row.forEach((canvas, k) => draw(canvas, mapOf(model, sentence, l, k), channels)))
      drawn = { sentence, colour }
    }
    maps[chosen.layer][chosen.head].setAttribute("tabindex", -1)
    maps[chosen.layer][chosen.head].setAttribute("aria-checked", false)
    chosen = { layer, head }
    maps[layer][head].setAttribute("tabindex", 0)
    maps[layer][head].setAttribute("aria-checked", true)
  }

  // The colours of the page may change, by the reader's choice or the system's.
  const scheme = new MutationObserver(() => {
    if (!grid.isConnected) scheme.disconnect()
    else if (drawn) paint(drawn.sentence, chosen)
  })
  scheme.observe(document.body, { attributes: true, attributeFilter: ["data-md-color-scheme"] })
  return { element, paint }
}
