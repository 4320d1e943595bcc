// The maps of trained heads to look through: a network, a sentence, a layer and a head to choose, and all heads as
// small maps. It stands around one map as a table, which is all there is without script. data-layer and data-head say
// which head is shown first, counted from one.

import { choice, h, say, statusLine } from "../parts.js"
import { mapOf, told } from "./maps.js"
import { all } from "./all.js"
import { one } from "./one.js"

const FOLDER = new URL("../../../maps/", import.meta.url)
const NETWORKS = [
  ["minilm-en", "MiniLM, English"],
  ["e5-en", "multilingual-e5, English"],
  ["e5-es", "multilingual-e5, Spanish"],
]
const loaded = new Map() // name of a file -> a promise of what it holds

function load(name) {
  if (!loaded.has(name)) {
    loaded.set(name, fetch(new URL(`${name}.json`, FOLDER)).then((answer) => {
      if (!answer.ok) throw new Error(`${name}.json: ${answer.status}`)
      return answer.json()
    }))
    loaded.get(name).catch(() => loaded.delete(name)) // asked for again, it may come
  }
  return loaded.get(name)
}

const counted = (name, length) => Array.from({ length }, (_, place) => `${name} ${place + 1}`)

export function build(element) {
  const state = { network: 0, sentence: 0, layer: element.dataset.layer - 1 || 0, head: element.dataset.head - 1 || 0 }
  const networks = choice("Network", NETWORKS.map(([, label]) => label), open)
  const pickers = h("div", { class: "attn-bar" }, networks)
  const body = h("div", { class: "attn-maps" })
  const status = statusLine("Pick a cell or a small map: by pointing, or by Tab and the arrow keys.")
  let pause = 0

  async function open(network) {
    state.network = network
    try {
      const model = await load(NETWORKS[network][0])
      if (state.network === network) begin(model)
    } catch (error) {
      console.warn(error)
      say(status, "The maps could not be loaded. The table below shows one of them.")
    }
  }

  function begin(model) {
    Object.assign(state, {
      layer: Math.min(state.layer, model.layers - 1),
      head: Math.min(state.head, model.heads - 1),
      sentence: Math.min(state.sentence, model.sentences.length - 1),
    })
    const sentences = choice("Sentence", model.sentences.map(({ text }) => text), (sentence) => turn({ sentence }))
    const layers = choice("Layer", counted("layer", model.layers), (layer) => turn({ layer }))
    const heads = choice("Head", counted("head", model.heads), (head) => turn({ head }))
    const large = one()
    const small = all(model, turn)

    function paint() {
      const sentence = model.sentences[state.sentence]
      const map = mapOf(model, sentence, state.layer, state.head)
      const name = `Layer ${state.layer + 1}, head ${state.head + 1}`
      const shown = [[sentences, state.sentence], [layers, state.layer], [heads, state.head]]
      for (const [label, index] of shown) label.querySelector("select").selectedIndex = index
      large.paint(sentence.words, map, name)
      small.paint(sentence, state)
      return `${name} looks most at: ${told(sentence.words, map)}.`
    }
    function turn(change) {
      Object.assign(state, change)
      const text = paint()
      clearTimeout(pause)
      pause = setTimeout(() => say(status, text), 600)
    }
    while (networks.nextSibling) networks.nextSibling.remove()
    pickers.append(sentences, h("span", { class: "attn-map-which" }, layers, heads))
    body.replaceChildren(large.element, small.element)
    paint()
  }

  open(state.network)
  return h("div", { class: "attn-live", role: "group", "aria-label": "Maps of trained heads" }, pickers, body, status)
}
