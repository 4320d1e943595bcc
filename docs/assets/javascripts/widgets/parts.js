// What widgets are made of: elements, fields, handles that can be dragged, the fold for what stood there before.

const SVG = "http://www.w3.org/2000/svg"

function filled(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value)
    else if (value === true) element.setAttribute(name, "")
    else if (value !== false && value != null) element.setAttribute(name, value)
  }
  element.append(...children)
  return element
}

export const h = (tag, attributes = {}, ...children) => filled(document.createElement(tag), attributes, children)
export const s = (tag, attributes = {}, ...children) => filled(document.createElementNS(SVG, tag), attributes, children)

export function set(element, attributes) {
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value)
}

// In place: no element comes or goes, so nothing that watches the page has work with it.
export function say(element, text) {
  const node = element.firstChild ?? element.appendChild(document.createTextNode(""))
  if (node.data !== text) node.data = text
}

export const fixed = (number, digits) => {
  const text = Math.abs(number) === Infinity ? "∞" : Math.abs(number).toFixed(digits)
  return number < 0 && /[1-9∞]/.test(text) ? `−${text}` : text
}
export const vector = (numbers, digits) => `(${numbers.map((number) => fixed(number, digits)).join(", ")})`
export const short = (number) => fixed(Math.round(number * 100) / 100, 2).replace(/\.?0+$/, "")

// The numbers of a cell: proven ones with all their digits, as the page's ledger gives them.
export function numbersIn(cell) {
  const proven = [...cell.querySelectorAll("data.n[value]")].map((number) => Number(number.getAttribute("value")))
  return proven.length ? proven : (cell.textContent.replaceAll("−", "-").match(/-?\d+(?:\.\d+)?/g) ?? []).map(Number)
}
export const rowsOf = (table) => [...table.tBodies[0].rows].map((row) => [...row.cells])

export function define(tag, build) {
  customElements.define(tag, class extends HTMLElement {
    connectedCallback() {
      if (this.live) return // only moved
      const before = [...this.childNodes]
      this.live = build(this)
      if (this.hasAttribute("keep")) return this.append(this.live) // the table belongs to the text
      const fold = h("details", { class: "attn-origin" }, h("summary", {}, "The table that this starts from"), ...before)
      this.replaceChildren(this.live, fold)
    }
  })
}

// Runs `paint` once a frame, however often it is asked for; `tell` gives what a screen reader says, after a pause.
export function painter(paint, status, tell) {
  let asked = false
  let pause = 0
  return () => {
    if (!asked) requestAnimationFrame(() => { asked = false; paint() })
    asked = true
    clearTimeout(pause)
    pause = setTimeout(() => say(status, tell()), 500)
  }
}

export const statusLine = (hint) => h("p", { class: "attn-status", role: "status" }, hint)

// A field for a number. What is no number, or none that is allowed, is left to the reader and changes nothing.
export function numberField(label, { value, min, max, step = 0.1, change }) {
  const field = h("input", { type: "number", "aria-label": label, min, max, step, value })
  field.addEventListener("input", () => {
    const number = field.valueAsNumber
    const right = number >= min && number <= max && (step < 1 || number % 1 === 0)
    field.setAttribute("aria-invalid", !right)
    if (right) change(number)
  })
  return field
}
// Not while it is being typed into: "0." would lose its point.
export function show(field, number) {
  if (field === document.activeElement) return
  if (field.valueAsNumber !== number) field.value = number
  field.setAttribute("aria-invalid", false)
}

export function choice(label, options, change) {
  const list = h("select", { onchange: () => change(list.selectedIndex) }, ...options.map((text) => h("option", {}, text)))
  return h("label", { class: "attn-choice" }, h("span", {}, label), list)
}
export function toggle(label, change, checked = false) {
  const box = h("input", { type: "checkbox", checked, onchange: () => change(box.checked) })
  return h("label", { class: "attn-toggle" }, box, h("span", {}, ...[label].flat()))
}
export const button = (text, press) => h("button", { type: "button", class: "attn-button", onclick: press }, text)

const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }

// Lets a point of a drawing be moved by mouse, by touch and by the arrow keys (with Shift: whole steps).
// `where` gives its place, `move` takes a new one, `toPlane` turns a place in the window into one of the plane.
export function movable(element, { where, move, toPlane }) {
  let grip = null // from the pointer to the point: it must not jump when it is taken beside its middle
  element.addEventListener("pointerdown", (event) => {
    if (event.button) return
    const at = toPlane(event)
    grip = where().map((number, axis) => number - at[axis])
    element.setPointerCapture(event.pointerId)
    element.focus({ preventScroll: true })
    event.preventDefault()
  })
  // So that the page does not scroll; in drawings browsers pass over the style touch-action.
  element.addEventListener("touchstart", (event) => event.preventDefault(), { passive: false })
  const follow = (event) => grip && move(toPlane(event).map((number, axis) => number + grip[axis]))
  element.addEventListener("pointermove", follow)
  element.addEventListener("pointerup", (event) => { follow(event); grip = null })
  element.addEventListener("pointercancel", () => { grip = null })
  element.addEventListener("keydown", (event) => {
    const arrow = ARROWS[event.key]
    if (!arrow || event.altKey || event.ctrlKey || event.metaKey) return
    const step = event.shiftKey ? 1 : 0.1
    move(where().map((number, axis) => number + step * arrow[axis]))
    event.preventDefault()
  })
}
