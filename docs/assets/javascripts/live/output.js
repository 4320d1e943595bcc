// The place for what the reader's run prints: below the block and the output that is proved, and marked as "yours".

export function make(tag, className, text = "") {
  const element = document.createElement(tag)
  element.className = className
  element.textContent = text
  return element
}

// A link to the catalogue of faults leads to this copy of the site; read from disk, a page is a file.
function nearby(link) {
  const { base } = JSON.parse(document.getElementById("__config").textContent)
  const path = link.pathname.replace(/^\//, "").replace(/\/$/, location.protocol === "file:" ? ".html" : "/")
  link.href = new URL(`${base}/${path}${link.hash}`, location).href
}

export class Output {
  constructor(block, label) {
    const next = block.nextElementSibling
    this.proved = next?.matches(".language-text") ? next : null
    this.element = make("div", "live-output")
    this.element.setAttribute("role", "group")
    this.element.setAttribute("aria-label", label)
    this.status = make("p", "live-status")
    this.status.setAttribute("role", "status")
    this.printed = make("pre", "live-printed")
    this.printed.tabIndex = 0
    this.printed.hidden = true
    this.out = ""
    this.waiting = []
    this.element.append(this.status, this.printed)
    ;(this.proved ?? block).after(this.element)
    this.say("Waiting for Python …")
  }

  remove() {
    this.element.remove()
  }

  say(text, ...more) {
    this.status.replaceChildren(make("strong", "", "Yours"), ` ${text} `, ...more)
  }

  hear(kind, { text, loaded, total }) {
    if (kind === "started") this.started = true
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

  // A flood comes faster than a page can be drawn: what arrives between two frames is shown at once.
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

  close({ traceback, where, stopped, failed, missing, html, ok }) {
    if (traceback) this.print("err", traceback)
    this.flush()
    if (failed && this.started) this.say(`ended Python itself: ${failed}. The next run starts it anew.`)
    else if (failed) this.say(`did not run: ${failed}. The page is as it was; press Run to try again.`)
    else if (stopped) this.say("was stopped.")
    else if (where) this.say(`did not run: ${where}, which runs before it, raised this.`)
    else if (traceback) this.say("raised an error.")
    else if (missing) this.say(`defines no function ${missing}: the check looks for this name.`)
    else if (html !== undefined) this.report(ok, html)
    else if (!this.out && this.printed.hidden) this.say("printed nothing.")
    else this.say(this.isProved() ? "printed the same." : "printed")
  }

  report(ok, html) {
    this.say(ok ? "is right." : "is not right yet.")
    const report = make("div", "live-report")
    report.innerHTML = html // attnref's own; what it quotes of the reader's program is escaped
    report.querySelectorAll("a").forEach(nearby)
    this.element.append(report)
  }

  isProved() {
    const proved = this.proved?.querySelector("code").textContent
    return proved !== undefined && proved.trimEnd() === this.out.trimEnd()
  }
}
