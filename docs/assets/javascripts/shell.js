// What the theme's own script adds to a page and leaves nameless or out of the keyboard's reach: the box of a code
// block's buttons is one more landmark without a name, and a table's scroll box can't take the focus.
function mend() {
  for (const nav of document.querySelectorAll("nav.md-code__nav:not([role])")) nav.setAttribute("role", "presentation");
  for (const box of document.querySelectorAll(".md-typeset__scrollwrap:not([tabindex])")) {
    box.setAttribute("tabindex", "0");
    box.setAttribute("role", "group");
    box.setAttribute("aria-label", "Table");
  }
}

mend();
new MutationObserver(mend).observe(document.body, { childList: true, subtree: true });
