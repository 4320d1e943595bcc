// The plane of a soft lookup: the query and the keys as arrows whose tips can be dragged.

import { fixed, movable, s, say, set, vector } from "../parts.js"

const HALF = 160 // of the drawing's width, in its own units
const REACHES = [2.6, 5.2, 10.4] // how far the plane reaches, each way; the smallest that has room is taken

const reachOf = (points) => REACHES.find((reach) => points.flat().every((x) => Math.abs(x) < reach)) ?? REACHES.at(-1)
const side = (x) => (Math.abs(x) < 0.25 ? "middle" : x < 0 ? "end" : "start")

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
  const reach = reachOf(points)
  const unit = HALF / reach
  const names = ["query", ...preset.words]
  const arrows = points.map((_, i) => s("path", { class: i ? "arrow" : "arrow query" }))
  const labels = points.map(() => s("text", { class: "label" }))
  const dots = points.map((_, i) => s("circle", { class: i ? "dot" : "dot query", r: 7 }))
  const element = s("svg", { class: "attn-plane", viewBox: `${-HALF} ${-HALF} ${2 * HALF} ${2 * HALF}` })

  function toPlane(event) {
    const box = element.getBoundingClientRect()
    const scale = (2 * reach) / box.width
    return [(event.clientX - box.left) * scale - reach, reach - (event.clientY - box.top) * scale]
  }
  let places = points
  const handles = points.map((_, i) => {
    const handle = s("g", { class: "handle", tabindex: 0, role: "slider", "aria-label": `${names[i]}, arrow keys move it` },
      s("circle", { class: "hit", r: 22 }), dots[i])
    const move = (place) => put(i, place.map((x) => Math.round(Math.max(-reach, Math.min(reach, x)) * 10) / 10 + 0))
    movable(handle, { where: () => places[i], move, toPlane })
    return handle
  })
  // The query last, so that it lies on top where a key has the same place.
  const order = [...points.keys()].slice(1).concat(0)
  element.append(...grid(unit, reach), ...order.map((i) => arrows[i]), ...order.map((i) => handles[i]), ...labels)

  function paint(state, { weights }) {
    places = state.points
    const taken = new Map()
    places.forEach(([x, y], i) => taken.set(`${x},${y},${!i}`, [...(taken.get(`${x},${y},${!i}`) ?? []), i]))
    places.forEach(([x, y], i) => {
      const [across, down] = [x * unit, -y * unit]
      set(arrows[i], { d: `M0 0L${across} ${down}` })
      set(handles[i], { transform: `translate(${across} ${down})`, "aria-valuenow": x, "aria-valuetext": vector([x, y], 1) })
      if (i) set(dots[i], { r: 5 + 9 * Math.sqrt(weights[i - 1]) })
      const together = taken.get(`${x},${y},${!i}`)
      const radius = i ? 10 + 9 * Math.sqrt(weights[i - 1]) : 15
      const below = i ? y < -0.1 : y <= x // the query's label on the other side of its arrow than those of keys near it
      const edge = Math.abs(across) > 0.6 * HALF
      set(labels[i], { x: edge ? Math.sign(x) * (HALF - 4) : across + (side(x) === "middle" ? 0 : Math.sign(x) * radius * 0.5),
        y: below ? down + radius + 10 : down - radius, "text-anchor": edge ? side(-x) : side(x) })
      const words = together.map((other) => names[other]).join(", ")
      say(labels[i], together[0] !== i ? "" : i ? `${words} ${fixed(weights[i - 1], 2)}` : "query")
    })
  }
  return { element, paint }
}
