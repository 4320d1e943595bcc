// An exercise: its editor is open, Check asks attnref what is wrong, and what is written stays in this browser.

import { Block, blockOf, press as pressBlock } from "./blocks.js"

export const open = (element) => blockOf(element, Exercise)

export function press(element, action) {
  open(element)
  pressBlock(element, action)
}

class Exercise extends Block {
  constructor(element) {
    super(element)
    this.place = `attnref: draft of ${location.pathname}`
    this.open(this.draft ?? this.original, "Your program. Control and Enter check it.")
    this.editor.addEventListener("input", () => {
      this.draft = this.editor.value
    })
  }

  // A browser may keep nothing, or have no room left; then the exercise works without drafts.
  get draft() {
    try {
      return localStorage.getItem(this.place)
    } catch {
      return null
    }
  }

  set draft(code) {
    try {
      if (code === this.original) localStorage.removeItem(this.place)
      else localStorage.setItem(this.place, code)
    } catch {}
  }

  check() {
    const { function: name, form } = this.element.dataset
    return this.ask("Check", { blocks: this.jobs().slice(-1), check: { function: name, form } })
  }

  reset() {
    if (this.busy) this.stop()
    this.output?.remove()
    this.editor.focus()
    if (this.code === this.original) return // a second time, Undo would bring back what the first has put there
    this.editor.select()
    this.type(this.original) // typed, so that Undo brings the reader's own program back
  }
}
