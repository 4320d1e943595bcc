// The map of one head: a row for each place that asks, a column for each that is asked. A row is chosen by a click.

import { h, s, say } from "../parts.js"

const SIZE = 300 // of the drawing, in its own units
const EDGE = 22 // for the letters at the left and above
const FAINTEST = 0.01

export function mapOf(name, layer, choose) {
  const drawing = s("svg", { viewBox: `0 0 ${SIZE} ${SIZE}`, class: `attn-grid attn-head-${layer}`, role: "img" })
  const note = h("span", { class: "attn-note" })
  const caption = h("figcaption", {}, h("b", {}, name), note)
  const element = h("figure", { class: "attn-figure" }, caption, drawing)
  let rows = 0

  drawing.addEventListener("click", (event) => {
    const box = drawing.getBoundingClientRect()
    const at = ((event.clientY - box.top) * SIZE) / box.height - EDGE
    if (at >= 0 && rows) choose(Math.floor((at * rows) / (SIZE - EDGE)))
  })

  function paint(signs, weights, chosen, left_out) {
    rows = signs.length
    const cell = (SIZE - EDGE) / Math.max(rows, 1)
    const at = (place) => EDGE + cell * place
    const letters = signs.flatMap((sign, place) => [
      s("text", { x: EDGE / 2, y: at(place + 0.5), class: place === chosen ? "chosen" : "" }, sign),
      s("text", { x: at(place + 0.5), y: EDGE / 2 }, sign),
    ])
    const cells = weights.flatMap((row, i) => row.flatMap((weight, j) => weight < FAINTEST ? [] : [s("rect", {
      x: at(j), y: at(i), width: cell, height: cell, "fill-opacity": weight.toFixed(3), class: "cell",
    }, s("title", {}, `${signs[i]} (place ${i}) asks ${signs[j]} (place ${j}): ${weight.toFixed(2)}`))]))
    const frame = s("rect", { class: "frame", x: EDGE, y: EDGE, width: SIZE - EDGE, height: SIZE - EDGE })
    const mark = rows ? [s("rect", { class: "mark", x: EDGE, y: at(chosen), width: SIZE - EDGE, height: cell })] : []
    drawing.style.setProperty("--cell", cell)
    drawing.replaceChildren(frame, ...cells, ...letters, ...mark)
    drawing.setAttribute("aria-label", `Weights of the ${name}: row = who asks, column = who is asked. ${rows} rows.`)
    say(note, left_out ? "left out: the map shows where it would look" : "row = who asks, column = who is asked")
  }
  return { element, paint }
}
