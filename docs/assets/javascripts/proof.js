// Shows the proof of a number: its expression, its full value and the line that computed it.
// On hover, focus and tap; one Tab stop a block, arrow keys move between the numbers of the block. A click or a tap
// holds the proof, and a button in it leads to the block of code that made the number; so does Enter, and Escape back.
// Listens on the document, so that it keeps working when a page is replaced without a reload.

const PROVEN = "[data-proof]"
const BLOCK = "table, p, li, h1, h2, h3, h4, h5, h6, dd, dt, figcaption"
const STEPS = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }
const MARGIN = 8

const box = document.createElement("div")
box.className = "proof"
box.id = "proof"
box.setAttribute("role", "tooltip")
box.hidden = true
document.body.append(box)

let shown = null
let held = false // by a click: until one elsewhere
let left = null // the number from which somebody went to a block

function part(tag, className, text) {
  const element = document.createElement(tag)
  element.className = className
  element.textContent = text
  return element
}

const linesOf = (number) => number.dataset.line?.split(",") ?? []
const codes = () => JSON.parse(document.querySelector(".ledger-count")?.dataset.lines ?? "{}")

// The block of the page that shows the line which computed a number.
function blockOf(number) {
  const known = codes()
  const lines = linesOf(number).map((place) => known[place]).filter(Boolean)
  return lines.flatMap((line) =>
    [...document.querySelectorAll(".highlight code")].filter((code) => code.textContent.includes(line)),
  )[0]?.closest(".highlight")
}

function visit(number) {
  const block = blockOf(number)
  if (!block) return
  hide()
  left = number
  document.documentElement.classList.remove("early") // all is laid out (shell.js), so that the block stays where it is
  for (let fold = block.closest("details"); fold; fold = fold.parentElement.closest("details")) fold.open = true
  block.tabIndex = -1
  block.focus({ preventScroll: true })
  block.scrollIntoView({ block: "center" })
}

function fill(number) {
  const { proof, line } = number.dataset
  const value = number.getAttribute("value")
  const parts = [part("code", "proof-expression", proof)]
  if (line) parts.push(part("span", "proof-value", ` = ${value}`))
  const code = codes()
  for (const place of linesOf(number)) {
    const [file, at] = place.includes(":") ? place.split(":") : ["the page’s source", place]
    parts.push(part("span", "proof-line", `line ${at} of ${file}`))
    if (code[place]) parts.push(part("code", "proof-code", code[place]))
  }
  if (blockOf(number)) {
    // A button: the theme would take a link for a way to another page.
    if (held) parts.push(part("button", "proof-way", "Go to its block"))
    else parts.push(part("span", "proof-way", "Enter, or a click: go to its block"))
  }
  box.replaceChildren(...parts)
}

// Above the number where there is room, else below; never beyond the window's edges.
function place(number) {
  const at = number.getBoundingClientRect()
  const own = box.getBoundingClientRect()
  const left = at.left + at.width / 2 - own.width / 2
  const above = at.top - own.height - MARGIN
  box.style.left = `${Math.max(MARGIN, Math.min(left, document.documentElement.clientWidth - own.width - MARGIN))}px`
  box.style.top = `${above > 60 ? above : at.bottom + MARGIN}px`
}

function show(number, hold = false) {
  hide()
  held = hold
  shown = number
  fill(number)
  box.hidden = false
  place(number)
  number.setAttribute("aria-describedby", box.id)
}

function hide() {
  shown?.removeAttribute("aria-describedby")
  shown = null
  held = false
  box.hidden = true
}

function move(number, step) {
  const block = number.closest(BLOCK)
  const numbers = [...(block?.querySelectorAll(`${PROVEN}[tabindex]`) ?? [])]
  const next = numbers[numbers.indexOf(number) + step]
  if (!next) return false
  number.tabIndex = -1
  next.tabIndex = 0
  next.focus()
  return true
}

const proven = (event) => event.target.closest?.(PROVEN)

document.addEventListener("pointerover", (event) => {
  const number = proven(event)
  if (held || box.contains(event.target)) return
  if (number && number !== shown) show(number)
  else if (!number && shown !== document.activeElement) hide()
})
document.addEventListener("click", (event) => {
  const number = proven(event)
  if (number) show(number, true)
  else if (!box.contains(event.target)) hide()
  else if (event.target.closest("button")) visit(shown)
})
box.addEventListener("mousedown", (event) => event.preventDefault()) // a click in it takes no focus from the number
document.addEventListener("focusin", (event) => {
  const number = proven(event)
  if (number) show(number)
  else hide()
})
document.addEventListener("focusout", hide)
document.addEventListener("scroll", () => shown && place(shown), { passive: true })
document.addEventListener("keydown", (event) => {
  if (event.key === "Escape") {
    hide()
    if (left && document.activeElement === blockOf(left)) left.focus()
    return
  }
  const number = proven(event)
  if (event.key === "Enter" && number && number === document.activeElement) return visit(number)
  const step = STEPS[event.key]
  if (number && number === document.activeElement && step && move(number, step)) event.preventDefault()
})
