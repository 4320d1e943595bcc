// Asks the search of a built site, without a browser. Through stdin: {site, questions}; answers with the hits of each.

import { readFileSync, readdirSync } from "node:fs"
import vm from "node:vm"

const { site, questions } = JSON.parse(readFileSync(0, "utf8"))
const workers = `${site}/assets/javascripts/workers/`
const [file] = readdirSync(workers).filter((name) => name.endsWith(".js"))

let hear, answered
const complaints = []
const world = { console: { warn: (text) => complaints.push(String(text)) } }
world.self = world
world.addEventListener = (_, listener) => { hear = listener }
world.postMessage = (message) => answered(message)
vm.runInNewContext(readFileSync(workers + file, "utf8"), world)

const say = (type, data) => new Promise((done) => {
  answered = ({ data: found }) => done(found)
  hear({ data: { type, data } })
})
await say(0, { ...JSON.parse(readFileSync(`${site}/search/search_index.json`, "utf8")), options: { suggest: false } })
const hits = {}
for (const question of questions) {
  const { items } = await say(2, question)
  hits[question] = items.map(([{ location, title, text, terms }]) => ({ location, title, text, terms }))
}
console.log(JSON.stringify({ hits, complaints }))
