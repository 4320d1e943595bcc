// What a reader can do with a block of Python: edit it, run it, stop it, put it back. One object a block.

import { Output, make } from "./output.js"
import * as runner from "./runner.js"

const known = new WeakMap() // element -> Block
const pages = new WeakMap() // the first block of a page -> the page's key
let pageCount = 0

export function press(element, action) {
  const block = blockOf(element)
  // A key can be pressed a second time before the button has got its new name.
  if (action === "edit" ? block.editor : block.busy && action !== "stop" && action !== "reset") return
  block[action]()
}

export function blockOf(element, Kind = Block) {
  if (!known.has(element)) known.set(element, new Kind(element))
  return known.get(element)
}

// All blocks of the page that share its names, in the order in which they run.
function shared() {
  const elements = [...document.querySelectorAll(".live:not(.own)")]
  return [...elements.filter((e) => e.matches(".first")), ...elements.filter((e) => !e.matches(".first"))]
}

function page() {
  const first = document.querySelector(".live")
  if (!pages.has(first)) pages.set(first, `page ${++pageCount}`)
  return pages.get(first)
}

export class Block {
  constructor(element) {
    this.element = element
    this.pre = element.querySelector("pre")
    this.original = this.pre.querySelector("code").textContent.replace(/\n+$/, "")
    this.number = [...document.querySelectorAll(".live, .native")].indexOf(element) + 1
    this.editor = null
    this.output = null
    this.busy = false
  }

  get code() {
    return this.editor?.value ?? this.original
  }

  button(name) {
    return this.element.querySelector(`.live-bar [name=${name}]`)
  }

  rename(from, to) {
    const button = this.button(from.toLowerCase())
    if (!button) return
    button.name = to.toLowerCase()
    button.textContent = to
    button.setAttribute("aria-label", `${to} block ${this.number}`)
  }

  edit() {
    this.open(this.original, `Code of block ${this.number}. Control and Enter run it.`)
    this.editor.focus()
    this.editor.setSelectionRange(0, 0)
    this.rename("Edit", "Reset")
  }

  open(code, label) {
    this.editor = make("textarea", "live-editor")
    Object.assign(this.editor, { value: code, spellcheck: false, wrap: "off" })
    this.editor.setAttribute("autocapitalize", "off")
    this.editor.setAttribute("aria-label", label)
    this.editor.addEventListener("input", () => this.grow())
    this.editor.addEventListener("keydown", (event) => this.key(event))
    this.pre.hidden = true
    this.pre.after(this.editor)
    this.grow()
  }

  grow() {
    this.editor.rows = this.editor.value.split("\n").length
  }

  // Enter goes on at the indentation of the line, one step deeper behind a colon. Tab stays the browser's.
  key(event) {
    if (event.key !== "Enter" || event.isComposing || event.ctrlKey || event.metaKey || event.shiftKey) return
    const line = this.editor.value.slice(0, this.editor.selectionStart).split("\n").pop()
    const indent = line.match(/^[ \t]*/)[0] + (line.trimEnd().endsWith(":") ? "    " : "")
    if (!indent) return
    event.preventDefault()
    this.type(`\n${indent}`)
  }

  type(text) {
    document.execCommand("insertText", false, text) // the one way that Undo knows of
  }

  reset() {
    if (this.busy) this.stop()
    this.editor?.remove()
    this.output?.remove()
    this.editor = this.output = null
    this.pre.hidden = false
    this.rename("Reset", "Edit")
    this.button("edit").focus()
  }

  stop() {
    runner.stop()
  }

  jobs() {
    const own = this.element.matches(".own")
    const all = own ? [this] : shared().map((element) => blockOf(element))
    return all.slice(0, all.indexOf(this) + 1).map((block) => ({
      name: `block ${block.number}`,
      code: block.code,
      own,
      fails: block.element.matches(".fails"),
    }))
  }

  run() {
    return this.ask("Run", { page: page(), blocks: this.jobs() })
  }

  // While it works, the button that was pressed is the one that stops.
  async ask(name, job) {
    this.busy = true
    this.rename(name, "Stop")
    this.output?.remove()
    this.output = new Output(this.element, `What your run of block ${this.number} prints`)
    const output = this.output
    const result = await runner.run(job, (kind, rest) => output.hear(kind, rest))
    this.busy = false
    this.rename("Stop", name)
    output.close(result)
  }
}

// A page that takes another's place leaves nothing running behind.
window.document$?.subscribe(() => runner.stop({ spare: false }))
