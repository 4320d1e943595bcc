// The plane of a soft lookup: the query and the keys as arrows whose tips can be dragged.

import { fixed, movable, s, say, set, vector } from "../parts.js"

const HALF = 160 // of the drawing's width, in its own units
const REACHES = [2.6, 5.2, 10.4] // how far the plane reaches, each way; the smallest that has room is taken

const reachOf = (points) => REACHES.find((reach) => points.flat().every((x) => Math.abs(x) < reach)) ?? REACHES.at(-1)

// Each label goes where it hides no point and no other label: above its point or below, else beside it.
function placeOf(text, [x, y], radius, up, taken) {
  const width = 6.6 * text.length
  const [above, below] = [[x - width / 2, y - radius - 4], [x - width / 2, y + radius + 15]]
  const places = [...(up ? [above, below] : [below, above]), [x + radius + 4, y + 4], [x - radius - 4 - width, y + 4]]
  const boxes = places.map(([left, base]) => [Math.max(4 - HALF, Math.min(HALF - width - 4, left)), base, width])
  const free = ([left, base, wide]) =>
    taken.every(([l, b, w]) => left > l + w || l > left + wide || Math.abs(base - b) > 13)
  const box = boxes.find(free) ?? boxes[0]
  taken.push(box)
  return { x: box[0], y: box[1] }
}

function grid(unit, reach) {
  const step = reach > 6 ? 2 : 1
  const lines = []
  for (let at = -Math.floor(reach / step) * step; at < reach; at += step) {
    const kind = at === 0 ? "axis" : "grid"
    lines.push(s("path", { class: kind, d: `M${at * unit} ${-HALF}V${HALF}M${-HALF} ${-at * unit}H${HALF}` }))
    if (at) lines.push(s("text", { class: "tick", x: at * unit, y: 13 }, fixed(at, 0)))
  }
  return lines
}

export function plane({ preset, points }, put) {
  let [reach, unit] = [0, 0]
  const names = ["query", ...preset.words]
  const arrows = points.map((_, i) => s("path", { class: i ? "arrow" : "arrow query" }))
  const labels = points.map(() => s("text", { class: "label" }))
  const dots = points.map((_, i) => s("circle", { class: i ? "dot" : "dot query", r: 7 }))
  const element = s("svg", { class: "attn-drawing attn-plane", viewBox: `${-HALF} ${-HALF} ${2 * HALF} ${2 * HALF}` })

  function toPlane(event) {
    const box = element.getBoundingClientRect()
    const scale = (2 * reach) / box.width
    return [(event.clientX - box.left) * scale - reach, reach - (event.clientY - box.top) * scale]
  }
  let places = points
  const handles = points.map((_, i) => {
    const handle = s("g", { class: "handle", tabindex: 0, role: "slider", "aria-label": `${names[i]}, arrow keys move it`,
      "aria-valuemin": -9, "aria-valuemax": 9 },
      s("circle", { class: "hit", r: 22 }), dots[i])
    const move = (place) => put(i, place.map((x) => Math.round(Math.max(-reach, Math.min(reach, x)) * 10) / 10 + 0))
    movable(handle, { where: () => places[i], move, toPlane })
    return handle
  })
  // The query last, so that it lies on top where a key has the same place.
  const order = [...points.keys()].slice(1).concat(0)
  const lines = s("g")
  element.append(lines, ...order.map((i) => arrows[i]), ...order.map((i) => handles[i]), ...labels)

  function paint(state, { weights }) {
    places = state.points
    if (reachOf(places) > reach) { // it never shrinks: a point that is dragged would run away from the pointer
      reach = reachOf(places)
      unit = HALF / reach
      lines.replaceChildren(...grid(unit, reach))
    }
    const radii = places.map((_, i) => (i ? 5 + 9 * Math.sqrt(weights[i - 1]) : 7))
    const taken = places.map(([x, y], i) => [x * unit - radii[i], 6 - y * unit, 2 * radii[i]])
    const stacked = (i) => places.flatMap((place, j) => (i && j && String(place) === String(places[i]) ? [j] : []))
    for (const i of order) {
      const [x, y] = places[i]
      const at = [x * unit, -y * unit]
      set(arrows[i], { d: `M0 0L${at}` })
      set(handles[i], { transform: `translate(${at})`, "aria-valuenow": x, "aria-valuetext": vector([x, y], 1) })
      set(dots[i], { r: radii[i] })
      const same = stacked(i) // keys in one place share a label
      const text = i ? `${same.map((j) => names[j]).join(", ")} ${fixed(weights[i - 1], 2)}` : "query"
      say(labels[i], !i || same[0] === i ? text : "")
      if (labels[i].textContent) set(labels[i], placeOf(text, at, radii[i], y >= 0, taken))
    }
  }
  return { element, paint }
}
