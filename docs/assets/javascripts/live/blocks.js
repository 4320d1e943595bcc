// What a reader can do with a block of Python: edit it, run it, stop it, put it back. One object a block.

import * as runner from "./runner.js"

const known = new WeakMap() // element -> Block
const pages = new WeakMap() // the first block of a page -> the page's key
let pageCount = 0

export function press(element, action) {
  const block = blockOf(element)
  // A key can be pressed a second time before the button has got its new name.
  if (!(action !== "stop" && block.busy) && !(action === "edit" && block.editor)) block[action]()
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

export function make(tag, className, text = "") {
  const element = document.createElement(tag)
  element.className = className
  element.textContent = text
  return element
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
    if (event.key !== "Enter" || event.ctrlKey || event.metaKey || event.shiftKey) return
    const line = this.editor.value.slice(0, this.editor.selectionStart).split("\n").pop()
    const indent = line.match(/^ */)[0] + (line.trimEnd().endsWith(":") ? "    " : "")
    if (!indent) return
    event.preventDefault()
    this.type(`\n${indent}`)
  }

  type(text) {
    document.execCommand("insertText", false, text) // the one way that Undo knows of
  }

  reset() {
    this.editor.remove()
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
    this.begin()
    const result = await runner.run(job, (kind, rest) => this.hear(kind, rest))
    this.busy = false
    this.rename("Stop", name)
    this.close(result)
  }

  // The place for what the reader's run prints: below the block and the output that is proved.
  begin() {
    this.output?.remove()
    const proved = this.element.nextElementSibling
    this.proved = proved?.matches(".language-text") ? proved : null
    this.output = make("div", "live-output")
    this.output.setAttribute("role", "group")
    this.output.setAttribute("aria-label", `What your run of block ${this.number} prints`)
    this.status = make("p", "live-status")
    this.status.setAttribute("role", "status")
    this.printed = make("pre", "live-printed")
    this.printed.tabIndex = 0
    this.printed.hidden = true
    this.out = ""
    this.waiting = []
    this.output.append(this.status, this.printed)
    ;(this.proved ?? this.element).after(this.output)
    this.say("Waiting for Python …")
  }

  say(text, ...more) {
    this.status.replaceChildren(make("strong", "", "Yours"), ` ${text} `, ...more)
  }

  hear(kind, { text, loaded, total }) {
    if (kind === "started") this.say("is running …")
    else if (kind === "progress") this.progress(loaded, total)
    else this.print(kind, text)
  }

  progress(loaded, total) {
    const done = Math.min(loaded, total)
    const bar = this.status.querySelector("progress") ?? make("progress", "")
    bar.setAttribute("aria-label", "Python is fetched")
    Object.assign(bar, { max: total, value: done })
    const text = done < total * 0.99 ? `needs Python, ${total.toFixed(0)} MB, once:` : "is next: Python starts …"
    if (this.told !== text) this.say(text, bar)
    this.told = text
  }

  print(kind, text) {
    if (kind === "out") this.out += text
    this.waiting.push([kind, text])
    if (this.waiting.length === 1) requestAnimationFrame(() => this.flush())
  }

  flush() {
    for (const [kind, text] of this.waiting) {
      const last = this.printed.lastChild
      if (last?.className === kind) last.append(text)
      else this.printed.append(make("span", kind, text))
    }
    if (this.waiting.length) this.printed.hidden = false
    this.waiting = []
  }

  close({ traceback, where, stopped, failed }) {
    if (traceback) this.print("err", traceback)
    this.flush()
    if (failed) this.say(`did not run: ${failed}. The page is as it was; press Run to try again.`)
    else if (stopped) this.say("was stopped.")
    else if (where) this.say(`did not run: ${where}, which runs before it, raised this.`)
    else if (traceback) this.say("raised an error.")
    else if (!this.out && this.printed.hidden) this.say("printed nothing.")
    else this.say(this.isProved() ? "printed the same." : "printed")
  }

  isProved() {
    const proved = this.proved?.querySelector("code").textContent
    return proved !== undefined && proved.trimEnd() === this.out.trimEnd()
  }
}

// A page that takes another's place leaves nothing running behind.
window.document$?.subscribe(() => runner.stop({ spare: false }))
