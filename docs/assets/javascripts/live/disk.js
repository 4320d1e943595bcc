// Starts the worker where the site is read from disk: there a browser starts no worker from a file and fetches none.
// So assets/live/disk.js, a script like any other, brings the worker's text and its files, as base64.

const HERE = document.currentScript.src // .../assets/javascripts/live/live.js
const WAIT = `
  const early = []
  self.onmessage = (event) => {
    if (!event.data.source) return early.push(event)
    self.disk = event.data.files
    importScripts("data:text/javascript," + encodeURIComponent(event.data.source))
    early.forEach((one) => self.onmessage(one))
  }`

let brought = null // the promise of { source, files }

export function openWorker() {
  const worker = new Worker(URL.createObjectURL(new Blob([WAIT])))
  brought ??= bring()
  brought.then(
    (message) => worker.postMessage(message),
    () => {
      brought = null
      worker.onmessage({ data: { kind: "failed", text: "disk.js could not be read" } })
    },
  )
  return worker
}

function bring() {
  return new Promise((settle, refuse) => {
    const script = document.createElement("script")
    script.src = new URL("../../live/disk.js", HERE)
    script.onload = () => settle(decoded(self.attnrefDisk))
    script.onerror = refuse
    document.head.append(script)
  })
}

function decoded({ source, files }) {
  const bytes = (text) => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0))
  return { source, files: Object.fromEntries(Object.entries(files).map(([name, text]) => [name, bytes(text)])) }
}
