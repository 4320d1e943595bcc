// The worker that runs Python: started on the first run, ended by Stop, replaced at once by a spare one.

import { openWorker } from "./place.js"

let worker = null
let count = 0
const running = new Map() // number of a run -> what hears of it

// Run the blocks of a job one after the other, the last one is heard; with `check` in it, check that one instead.
// Resolves to { traceback, where }, { ok, html }, { stopped } or { failed }.
export function run(job, hear) {
  worker ??= start()
  const id = ++count
  worker.postMessage({ id, ...job })
  return new Promise((settle) => running.set(id, { hear, settle }))
}

// Ends what runs, endless loops too: a worker can be ended, a loop in it can't be asked to. All it knew is gone.
export function stop({ spare = true } = {}) {
  if (running.size === 0) return
  end({ stopped: true })
  if (spare) {
    worker = start()
    worker.postMessage({ warm: true })
  }
}

function start() {
  const made = openWorker()
  made.onmessage = ({ data }) => made === worker && receive(data)
  made.onerror = (event) => {
    event.preventDefault()
    if (made === worker) end({ failed: event.message || "the worker could not be started" })
  }
  return made
}

function receive({ id, kind, ...rest }) {
  if (kind === "failed") return end({ failed: rest.text })
  if (kind === "progress") return running.forEach(({ hear }) => hear(kind, rest))
  const one = running.get(id)
  if (kind !== "done") return one?.hear(kind, rest)
  running.delete(id)
  one?.settle(rest)
}

function end(result) {
  worker?.terminate()
  worker = null
  const ended = [...running.values()]
  running.clear()
  ended.forEach(({ settle }) => settle(result))
}
