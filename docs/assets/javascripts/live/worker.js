// The worker that holds Python. A classic one, not a module: only so can it be started from a file on disk, too.

const DISK = self.disk // the files by name, where the site is read from disk (disk.js); a made-up address names them
const ASSETS = DISK ? "file:///assets/" : new URL("../../", self.location.href).href
const PYODIDE = `${ASSETS}vendor/pyodide/`
const LIVE = `${ASSETS}live/`
const MEGABYTES = { python: 12.5, numpy: 3.1 } // what the progress counts up to; tests compare it with the files

let python = null // the promise of { pyodide, driver }
let loaded = 0
let total = MEGABYTES.python
const seen = new Set() // code whose imports have been looked through

// Pyodide waits for ever for a file that is blocked or missing, so each fetch is watched and says when it failed.
const nameOf = (address) => String(address).split("/").pop()
const fetched = DISK ? fromDisk : self.fetch.bind(self)
self.fetch = async (address, options = {}) => {
  const name = nameOf(address)
  try {
    // The list of packages must be as new as what it lists.
    const answer = await fetched(address, name === "pyodide-lock.json" ? { ...options, cache: "no-cache" } : options)
    if (!answer.ok) throw new Error(`the server answered ${answer.status}`)
    count(answer.clone(), name)
    return answer
  } catch (error) {
    self.postMessage({ kind: "failed", text: `${name} could not be fetched (${error.message})` })
    throw error
  }
}

function fromDisk(address) {
  const type = nameOf(address).endsWith(".wasm") ? "application/wasm" : "application/octet-stream"
  return new Response(DISK[nameOf(address)], { headers: { "Content-Type": type } })
}

if (DISK) {
  const imported = self.importScripts.bind(self)
  // As data, not as a blob: Firefox lets a worker from disk import no blob.
  const text = (address) => new TextDecoder().decode(DISK[nameOf(address)])
  self.importScripts = (address) => imported(`data:text/javascript,${encodeURIComponent(text(address))}`)
}

async function count(answer, name) {
  const reader = answer.body.getReader()
  for (;;) {
    const { done, value } = await reader.read().catch(() => {
      self.postMessage({ kind: "failed", text: `${name} broke off` })
      return { done: true }
    })
    if (done) return
    loaded += value.length / 1e6
    self.postMessage({ kind: "progress", loaded, total })
  }
}

async function start(packages) {
  if (packages.length) total += MEGABYTES.numpy
  const driver = self.fetch(`${LIVE}live_driver.py`).then((answer) => answer.text())
  importScripts(`${PYODIDE}pyodide.js`)
  const pyodide = await self.loadPyodide({
    indexURL: PYODIDE,
    lockFileURL: `${LIVE}pyodide-lock.json`,
    packages, // fetched while Python starts
  })
  const site = pyodide.runPython("import site; site.getsitepackages()[0]")
  pyodide.FS.writeFile(`${site}/live_driver.py`, await driver)
  return { pyodide, driver: pyodide.pyimport("live_driver") }
}

// The packages that code names; loaded with Python itself, they arrive sooner.
function packages(blocks) {
  const imports = blocks.map(({ code }) => code).join("\n")
  return ["numpy", "attnref"].filter((name) => new RegExp(`^\\s*(import|from)\\s+${name}\\b`, "m").test(imports))
}

async function run({ id, page, blocks, check }) {
  python ??= start(check ? ["numpy", "attnref"] : packages(blocks))
  const { pyodide, driver } = await python
  if (check) await pyodide.loadPackage(["numpy", "attnref"], { messageCallback() {} })
  for (const { code } of blocks) {
    if (!seen.has(code)) await pyodide.loadPackagesFromImports(code, { messageCallback() {} })
    seen.add(code)
  }
  self.postMessage({ id, kind: "started" })
  const post = (kind, text) => self.postMessage({ id, kind, text })
  if (check) {
    const report = driver.check(blocks[0].code, check.function, check.form, post)
    const found = report.toJs({ dict_converter: Object.fromEntries })
    return self.postMessage({ id, kind: "done", ...found })
  }
  const [traceback, where] = driver.run(page, pyodide.toPy(blocks), post).toJs()
  self.postMessage({ id, kind: "done", traceback, where })
}

let last = Promise.resolve()
self.onmessage = ({ data }) => {
  last = last
    .then(() => (data.warm ? (python ??= start(["numpy", "attnref"])) : run(data)))
    .catch((error) => self.postMessage({ kind: "failed", text: String(error.message ?? error) }))
}
