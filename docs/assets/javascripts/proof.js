// Shows the proof of a number: its expression, its full value and the line that computed it.
// On hover, focus and tap; one Tab stop a block, arrow keys move between the numbers of the block.
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

function part(tag, className, text) {
  const element = document.createElement(tag)
  element.className = className
  element.textContent = text
  return element
}

function fill(number) {
  const { proof, line } = number.dataset
  const value = number.getAttribute("value")
  const parts = [part("code", "proof-expression", proof)]
  if (line) parts.push(part("span", "proof-value", ` = ${value}`))
  const code = JSON.parse(document.querySelector(".ledger-count")?.dataset.lines ?? "{}")
  for (const place of line?.split(",") ?? []) {
    const [file, at] = place.includes(":") ? place.split(":") : ["the page’s source", place]
    parts.push(part("span", "proof-line", `line ${at} of ${file}`))
    if (code[place]) parts.push(part("code", "proof-code", code[place]))
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

function show(number) {
  hide()
  shown = number
  fill(number)
  box.hidden = false
  place(number)
  number.setAttribute("aria-describedby", box.id)
}

function hide() {
  shown?.removeAttribute("aria-describedby")
  shown = null
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
  if (number && number !== shown) show(number)
  else if (!number && shown !== document.activeElement) hide()
})
document.addEventListener("click", (event) => {
  const number = proven(event)
  if (number) show(number)
  else hide()
})
document.addEventListener("focusin", (event) => {
  const number = proven(event)
  if (number) show(number)
  else hide()
})
document.addEventListener("focusout", hide)
document.addEventListener("scroll", () => shown && place(shown), { passive: true })
document.addEventListener("keydown", (event) => {
  if (event.key === "Escape") return hide()
  const number = proven(event)
  const step = STEPS[event.key]
  if (number && number === document.activeElement && step && move(number, step)) event.preventDefault()
})
