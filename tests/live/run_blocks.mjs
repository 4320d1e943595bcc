// Runs blocks of Python under Pyodide, as the worker of the page does, and prints what each of them printed.
// Asked through stdin: {assets, pages: {page: [{name, code, own, fails, live}]}}. `assets` is a folder as the site serves it.

import { readFileSync } from "node:fs"
import { createRequire } from "node:module"

const { assets, pages } = JSON.parse(readFileSync(0, "utf8"))
const { loadPyodide } = createRequire(import.meta.url)(`${assets}/vendor/pyodide/pyodide.js`)
const pyodide = await loadPyodide({
  indexURL: `${assets}/vendor/pyodide/`,
  lockFileURL: `${assets}/live/pyodide-lock.json`,
})
const quiet = { messageCallback() {} }
const site = pyodide.runPython("import site; site.getsitepackages()[0]")
pyodide.FS.writeFile(`${site}/live_driver.py`, readFileSync(`${assets}/live/live_driver.py`))
const driver = pyodide.pyimport("live_driver")

const answers = {}
for (const [page, blocks] of Object.entries(pages)) {
  answers[page] = []
  const before = [] // as in the page, what does not run in a browser is left out, and a program stands alone
  for (const block of blocks) {
    await pyodide.loadPackagesFromImports(block.code, quiet)
    const answer = { out: "", err: "" }
    const post = (kind, text) => { answer[kind] += text }
    const [traceback, where] = driver.run(page, pyodide.toPy([...before, block]), post).toJs()
    answers[page].push({ ...answer, traceback, where })
    if (block.live && !block.own) before.push(block)
  }
}
process.stdout.write(JSON.stringify(answers))
