// What the theme's own script adds to a page and leaves nameless or out of the keyboard's reach: the box of a code
// block's buttons is one more landmark without a name, and a table's scroll box can't take the focus. And what would be
// a stop of the Tab key for nothing: a box that need not be scrolled, and a heading's link to itself, which the table of
// contents has as well.
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
