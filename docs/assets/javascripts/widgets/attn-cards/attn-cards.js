// Flashcards: one at a time, by mouse or by keys. It stands around the cards of the page, each a fold below the heading
// of its section; they stay below, in a fold of their own. What was known is kept on the reader's machine only.

import { button, choice, h, say, statusLine, toggle } from "../parts.js"
import { marks } from "./marks.js"

function cardsOf(element) {
  let section = ""
  return [...element.querySelectorAll("h2, details.card")].flatMap((node) => {
    if (node.tagName === "H2") section = node.firstChild.textContent
    if (node.tagName === "H2") return []
    const [front, ...back] = [...node.childNodes].filter((child) => child.nodeType === Node.ELEMENT_NODE)
    return [{ key: front.textContent.trim(), section, front: [...front.childNodes], back }]
  })
}

function shuffled(list) {
  const mixed = [...list]
  for (let i = mixed.length - 1; i > 0; i--) {
    const j = Math.floor(Math.random() * (i + 1))
    ;[mixed[i], mixed[j]] = [mixed[j], mixed[i]]
  }
  return mixed
}

const copy = (nodes) => nodes.map((node) => node.cloneNode(true))

export function build(element) {
  const cards = cardsOf(element)
  const sections = [...new Set(cards.map((card) => card.section))]
  const kept = marks("attnref-cards")
  const state = { pile: cards, at: 0, open: false, section: "", open_only: false }

  const front = h("div", { class: "attn-front" })
  const back = h("div", { class: "attn-back", hidden: true })
  const flip = button("Show the answer", () => turn())
  const known = button("Known", () => judge("known"))
  const again = button("Again", () => judge("again"))
  const status = statusLine("")
  const face = h("div", { class: "attn-card", tabindex: 0, role: "group", "aria-label": "Card" }, front, back)

  function pile() {
    state.pile = cards.filter((card) =>
      (!state.section || card.section === state.section) && (!state.open_only || kept.get(card.key) !== "known"))
    state.at = 0
    paint()
  }
  function tell() {
    const count = (mark) => cards.filter((card) => kept.get(card.key) === mark).length
    const place = state.pile.length ? `Card ${state.at + 1} of ${state.pile.length}. ` : ""
    return `${place}Known ${count("known")}, again ${count("again")}, of ${cards.length}.`
  }
  function paint(answer = false) {
    const card = state.pile[state.at]
    state.open = answer && Boolean(card)
    front.replaceChildren(...(card ? copy(card.front) : ["All of these are known. Take another pile."]))
    back.replaceChildren(...(card ? copy(card.back) : []))
    back.hidden = !state.open
    flip.disabled = !card
    say(flip, state.open ? "Hide the answer" : "Show the answer")
    known.disabled = again.disabled = !state.open
    say(status, tell())
  }
  function turn() {
    paint(!state.open)
    face.focus({ preventScroll: true })
  }
  function step(by) {
    state.at = (state.at + by + state.pile.length) % Math.max(1, state.pile.length)
    paint()
  }
  function judge(mark) {
    if (!state.open) return
    kept.set(state.pile[state.at].key, mark)
    face.focus({ preventScroll: true })
    if (state.open_only && mark === "known") {
      state.pile.splice(state.at, 1)
      state.at %= Math.max(1, state.pile.length)
      return paint()
    }
    step(1)
  }
  function mix() {
    state.pile = shuffled(state.pile)
    state.at = 0
    paint()
  }
  const keys = { " ": turn, Enter: turn, ArrowRight: () => step(1), ArrowLeft: () => step(-1),
    k: () => judge("known"), a: () => judge("again"), s: mix }
  // Keys act on the card alone, and only while it has the focus: elsewhere letters are for the reader's own tools.
  face.addEventListener("keydown", (event) => {
    if (event.target !== face || event.altKey || event.ctrlKey || event.metaKey || !keys[event.key]) return
    event.preventDefault()
    event.stopPropagation() // S opens the theme's search, else
    keys[event.key]()
  })
  front.addEventListener("click", () => turn())

  paint()
  element.prepend(h("div", { class: "attn-live", role: "group", "aria-label": "Flashcards, one at a time" },
    h("div", { class: "attn-bar" },
      choice("Pile", ["all cards", ...sections], (index) => { state.section = index ? sections[index - 1] : ""; pile() }),
      toggle("not yet known", (on) => { state.open_only = on; pile() }),
      button("Shuffle", mix)),
    face,
    h("div", { class: "attn-bar" }, flip, known, again,
      button("Forget all", () => { kept.clear(); pile() })),
    status,
    h("p", { class: "attn-hint" }, "With the card in focus: Space turns it, K known, A again, arrow keys move, S shuffles.")))
  const fold = h("details", { class: "attn-origin attn-all" }, h("summary", {}, "All cards, below each other"))
  fold.append(...[...element.childNodes].slice(1))
  return fold
}
