// One map as a grid of cells: who asks on the left, who is asked above. Mouse, touch or arrow keys pick a cell, and
// the line below says its weight. The largest cell of each row has a frame.

import { h, say } from "../parts.js"
import { exact, largest, percent } from "./maps.js"

const STEPS = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] }

export function one() {
  const caption = h("caption")
  const table = h("table", { class: "attn-map-one", role: "grid" })
  const reading = h("p", { class: "attn-reading" })
  const element = h("div", { class: "attn-map-side" }, h("div", { class: "attn-map-box" }, table), reading)
  let shown = { words: [], map: [] }
  let cells = []
  let at = [1, 0]

  function read([i, j]) {
    const { words, map } = shown
    say(reading, `“${words[i]}” asks “${words[j]}”: ${exact(map[i][j])}`)
  }
  function stand([i, j], focus) {
    cells[at[0]]?.[at[1]]?.setAttribute("tabindex", -1)
    at = [i, j]
    cells[i][j].setAttribute("tabindex", 0)
    if (focus) cells[i][j].focus()
    read(at)
  }
  const placeOf = (target) => {
    const cell = target.closest("tbody td")
    return cell && [cell.parentElement.sectionRowIndex, cell.cellIndex - 1]
  }
  table.addEventListener("pointerover", ({ target }) => { if (placeOf(target)) read(placeOf(target)) })
  table.addEventListener("pointerleave", () => read(at))
  table.addEventListener("click", ({ target }) => { if (placeOf(target)) stand(placeOf(target), true) })
  table.addEventListener("focusin", ({ target }) => { if (placeOf(target)) stand(placeOf(target)) })
  table.addEventListener("keydown", (event) => {
    const step = STEPS[event.key]
    if (!step || event.altKey || event.ctrlKey || event.metaKey) return
    const last = shown.words.length - 1
    stand(at.map((place, axis) => Math.max(0, Math.min(last, place + step[axis]))), true)
    event.preventDefault()
  })

  function lay(words) {
    const held = table.contains(document.activeElement)
    const asked = h("tr", {}, h("td", {}), h("td", { class: "attn-map-asked", colspan: words.length }, "who is asked"))
    const head = h("tr", {}, h("td", { class: "attn-map-asks" }, "who asks"),
      ...words.map((word) => h("th", { scope: "col" }, h("span", {}, word))))
    cells = words.map(() => words.map(() => h("td", { tabindex: -1 })))
    const rows = words.map((word, i) => h("tr", {}, h("th", { scope: "row" }, word), ...cells[i]))
    table.replaceChildren(caption, h("colgroup", {}, h("col")), h("thead", {}, asked, head), h("tbody", {}, ...rows))
    at = at.map((place) => Math.min(place, words.length - 1))
    cells[at[0]][at[1]].setAttribute("tabindex", 0)
    if (held) cells[at[0]][at[1]].focus()
  }

  function paint(words, map, name) {
    const other = shown.words !== words
    shown = { words, map }
    if (other) lay(words)
    say(caption, `${name}. Rows: who asks. Columns: who is asked. Weights in whole percent.`)
    map.forEach((row, i) => {
      const most = largest(row)
      row.forEach((weight, j) => {
        say(cells[i][j], percent(weight))
        cells[i][j].style.setProperty("--weight", weight / 1000)
        cells[i][j].classList.toggle("most", j === most)
        cells[i][j].classList.toggle("next-to-none", weight < 5) // shown as 0
      })
    })
    read(at)
  }
  return { element, paint }
}
