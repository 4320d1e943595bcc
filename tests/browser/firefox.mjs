// What a reader does, in Firefox: node firefox.mjs EXECUTABLE ADDRESS ENDING < exercises.json
// Prints one line of JSON for each act: its name, and what went wrong, or nothing. ADDRESS ends in a slash and is
// served or a folder on disk; ENDING is what an address of a page ends with, "/" or ".html".

import { createRequire } from "node:module"
import { readFileSync } from "node:fs"

const puppeteer = createRequire(import.meta.url)("puppeteer-core")
const [executablePath, address, ending] = process.argv.slice(2)
const { exercises, widgets } = JSON.parse(readFileSync(0, "utf8"))
const PATIENT = 120_000 // milliseconds; Python takes a few seconds to start, on a busy machine more

const browser = await puppeteer.launch({ browser: "firefox", executablePath, headless: true })
const page = await browser.newPage()
page.setDefaultTimeout(PATIENT)
const complaints = []
page.on("console", (message) => message.type() === "error" && complaints.push(message.text()))
page.on("pageerror", (error) => complaints.push(error.message))
page.on("request", (request) => {
  if (!new RegExp(`^(${address}|data:|blob:|about:)`).test(request.url())) complaints.push(`asked for ${request.url()}`)
})

const open = (path) => page.goto(`${address}${path}${ending}`)
const says_ = (text) =>
  page.waitForFunction((text) => document.querySelector(".live-status")?.textContent.includes(text), {}, text)
const printed = () => page.$eval(".live-printed", (element) => element.textContent)

async function press(number, name) {
  const bar = (await page.$$(".live > .live-bar"))[number]
  await (await bar.$(`[name=${name}]`)).click()
}

// Puts code into the open editor as a reader's paste does.
async function write(code) {
  await page.waitForSelector(".live-editor")
  await page.$eval(".live-editor", (editor, code) => {
    editor.value = code
    editor.dispatchEvent(new Event("input", { bubbles: true }))
  }, code)
}

function expect(given, wanted) {
  if (!given.includes(wanted)) throw new Error(`${JSON.stringify(given)} does not hold ${JSON.stringify(wanted)}`)
}

const acts = {
  async "a block runs and prints what the page shows"() {
    await open("lessons/step-by-step")
    await page.waitForSelector(".live-bar")
    await press(1, "run")
    await says_("printed the same")
  },
  async "an edited block prints what the reader wrote"() {
    await press(1, "edit")
    await write("print(6 * 7)")
    await press(1, "run")
    await says_("printed")
    expect(await printed(), "42")
  },
  async "an error shows its line"() {
    await write("a = 1\nb = a / 0")
    await press(1, "run")
    await says_("raised an error")
    expect(await printed(), "line 2")
  },
  async "an endless loop is stopped, and the next run works"() {
    await write("print('begun')\nwhile True: pass")
    await press(1, "run")
    await page.waitForFunction(() => document.querySelector(".live-printed")?.textContent.includes("begun"))
    await press(1, "stop")
    await says_("was stopped")
    await press(1, "reset")
    await press(1, "run")
    await says_("printed the same")
  },
  async "a double click runs a block once"() {
    await press(1, "edit")
    await write("import time\ntime.sleep(1)\nprint('whole')")
    const bar = (await page.$$(".live > .live-bar"))[1]
    await (await bar.$("[name=run]")).click({ count: 2, delay: 100 })
    await page.waitForFunction(() => document.querySelector(".live-printed")?.textContent.includes("whole"))
  },
  async "the next page runs, too"() {
    await Promise.all([
      page.waitForFunction(() => location.pathname.includes("every-token") && document.querySelector(".live-bar")),
      page.$eval(".md-footer__link--next", (link) => link.click()),
    ])
    await press(1, "run")
    await says_("printed")
  },
  async "a number shows its proof"() {
    await open("lessons/step-by-step")
    await page.waitForSelector(".live-bar")
    await (await page.$("data[data-proof='weights[0]']")).hover()
    await page.waitForFunction(() => document.querySelector("#proof")?.textContent.includes("weights[0]"))
  },
  async "the first letters of a search are kept"() {
    await open("lessons/step-by-step")
    await page.waitForSelector(".live-bar")
    await page.keyboard.press("s")
    await page.keyboard.type("softmax", { delay: 20 })
    await page.waitForSelector(".md-search-result__link", { visible: true })
    expect(await page.$eval(".md-search__input", (field) => field.value), "softmax")
  },
  async "every widget lives and answers to keys"() {
    for (const [tag, path] of Object.entries(widgets)) {
      await open(path)
      await page.waitForFunction((tag) => customElements.get(tag), {}, tag)
      await page.waitForSelector(`${tag} :is(input, select, button)`)
      const state = () =>
        page.$eval(tag, (widget) => {
          const fields = [...widget.querySelectorAll("input, select, details")]
          return widget.innerHTML + fields.map((field) => [field.value, field.checked, field.open]).join()
        })
      const before = await state()
      const field = await page.$(`${tag} :is(input[type=number], input[type=range])`)
      await (field ?? (await page.$(`${tag} :is(select, input, button)`))).focus()
      for (const key of ["ArrowUp", "ArrowDown", "ArrowDown", " "]) await page.keyboard.press(key)
      for (let wait = 0; (await state()) === before; wait++) {
        if (wait > 40) throw new Error(`${tag} does not answer to keys`)
        await new Promise((later) => setTimeout(later, 50))
      }
    }
  },
  async "every exercise tells what is wrong, and is solved"() {
    for (const [slug, { solution, wrong }] of Object.entries(exercises)) {
      await open(`exercises/${slug}`)
      for (const [wanted, code] of [...Object.entries(wrong), ["right", solution]]) {
        await write(code)
        await page.evaluate(() => document.querySelector(".live-output")?.remove())
        await (await page.waitForSelector(".exercise > .live-bar [name=check]")).click()
        await page.waitForSelector(".live-report")
        expect(await page.$eval(".live-report", (report) => report.textContent), wanted)
      }
    }
  },
}

for (const [name, act] of Object.entries(acts)) {
  complaints.length = 0
  let fault = null
  try {
    await act()
    if (complaints.length) fault = complaints.join("\n")
  } catch (error) {
    fault = [error.message, ...complaints].join("\n")
  }
  console.log(JSON.stringify({ name, fault }))
}
await browser.close()
