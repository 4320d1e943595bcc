// What the theme's own script adds to a page and leaves nameless or out of the keyboard's reach: the box of a code
// block's buttons is one more landmark without a name, and a table's scroll box can't take the focus. And what would be
// a stop of the Tab key for nothing: a box that need not be scrolled, and a heading's link to itself, which the table of
// contents has as well.
//
// And what a page leaves for later (sitekit/later.py) is laid out box by box while nothing else is to be done, or at once
// before a reader goes anywhere: heights that are guessed would make a link miss.
const BOXES = ".md-typeset__scrollwrap, .math-display"
const fits = new ResizeObserver((entries) => {
  for (const { target } of entries) {
    const box = target.closest(BOXES)
    if (!box || box.dataset.proof) continue // a formula with a proof is a stop in any case
    if (box.scrollWidth > box.clientWidth) box.setAttribute("tabindex", "0")
    else box.removeAttribute("tabindex")
  }
})

function mend() {
  for (const nav of document.querySelectorAll("nav.md-code__nav:not([role])")) nav.setAttribute("role", "presentation")
  for (const link of document.querySelectorAll("a.headerlink:not([tabindex])")) link.setAttribute("tabindex", "-1")
  for (const box of document.querySelectorAll(`:is(${BOXES}):not([data-fits])`)) {
    box.dataset.fits = ""
    box.setAttribute("role", "group")
    if (!box.hasAttribute("aria-label")) box.setAttribute("aria-label", "Table")
    for (const part of [box, ...box.children]) fits.observe(part)
  }
}

mend()
new MutationObserver(mend).observe(document.body, { childList: true, subtree: true })

const root = document.documentElement
const REST = 3000
const idle = window.requestIdleCallback ?? setTimeout
const waiting = [...document.querySelectorAll(".later, .doc-function > .doc-contents")]

function layOut() {
  const box = root.matches(".early") ? waiting.shift() : null
  if (!box) return atOnce()
  box.classList.add("laid-out")
  idle(layOut)
}

const atOnce = () => root.classList.remove("early")
addEventListener("load", () => setTimeout(layOut, REST))
addEventListener("popstate", atOnce)
// No other click: where things stand must not change under the pointer.
document.addEventListener("click", ({ target }) => target.closest("a") && atOnce(), true)
