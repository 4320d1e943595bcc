// Questions that answer back. The element stands around the questions of the page: below a heading of the third rank a
// paragraph, then a fold for each choice, of which one begins with "Right", or one fold with a number. Each fold gives
// its reason. With script the folds become choices to tick, or a field; the reasons are those of the folds.

import { button, h, say } from "../parts.js"
import { judge, numberIn } from "./judge.js"

const RIGHT = "Right."

function questionsOf(element) {
  return [...element.querySelectorAll("h3")].map((heading) => {
    const nodes = []
    for (let node = heading.nextElementSibling; node && !/^H[23]$/.test(node.tagName); node = node.nextElementSibling) {
      nodes.push(node)
    }
    const folds = nodes.filter((node) => node.matches("details.choice, details.answer"))
    return { heading, asked: nodes[0], folds, numeric: folds[0].matches(".answer") }
  })
}

const title = (heading) => heading.firstChild.textContent.trim()
const summary = (fold) => fold.querySelector("summary")
const reasonOf = (fold) => [...fold.children].filter((child) => child.tagName !== "SUMMARY")
const copy = (nodes) => [...nodes].map((node) => node.cloneNode(true))

// The first number of the answer, in full, and how near one has to come: the number that is set off in the question.
function expected({ asked, folds }) {
  const value = reasonOf(folds[0])[0].querySelector("data.n[value]")
  const near = asked.querySelector("em data.n[value]")
  return { value: Number(value.getAttribute("value")), near: near ? Number(near.getAttribute("value")) : 0 }
}

export function build(element) {
  const questions = questionsOf(element)
  const first = new Map() // question → was the first answer right
  const score = h("p", { class: "attn-status attn-score", role: "status" }, "")
  const tell = () => {
    const right = [...first.values()].filter(Boolean).length
    say(score, `${first.size} of ${questions.length} answered, ${right} right at the first try.`)
  }
  questions.forEach((question, number) => {
    const verdict = h("div", { class: "attn-verdict", role: "status" })
    const show = (right, nodes, counts = true) => {
      if (counts && !first.has(question)) first.set(question, right)
      verdict.classList.toggle("right", right)
      verdict.replaceChildren(...nodes)
      tell()
    }
    const form = question.numeric ? field(question, show) : choices(question, number, show)
    form.append(verdict)
    form.addEventListener("submit", (event) => event.preventDefault())
    question.folds[0].before(form)
    question.folds.forEach((fold) => { fold.hidden = true })
  })
  tell()
  const again = button("Start again", () => {
    first.clear()
    element.querySelectorAll("form.attn-question").forEach((form) => form.reset())
    element.querySelectorAll(".attn-verdict").forEach((verdict) => verdict.replaceChildren())
    element.querySelectorAll(".attn-tried").forEach((label) => label.classList.remove("attn-tried"))
    tell()
    element.querySelector("form input").focus()
  })
  return h("div", { class: "attn-live attn-total" }, h("div", { class: "attn-bar" }, score, again))
}

function choices({ heading, folds }, number, show) {
  const labels = folds.map((fold, index) =>
    h("label", {}, h("input", { type: "radio", name: `question-${number}`, value: index }),
      h("span", {}, ...copy(summary(fold).childNodes))))
  const form = h("form", { class: "attn-question" },
    h("fieldset", {}, h("legend", {}, title(heading)), ...labels), h("button", { type: "submit", class: "attn-button" }, "Check"))
  form.addEventListener("submit", () => {
    const ticked = form.elements[`question-${number}`].value
    if (ticked === "") return show(false, [h("p", {}, "Choose one first.")], false)
    const reason = reasonOf(folds[ticked])
    labels[ticked].classList.add("attn-tried")
    show(reason[0].textContent.trim().startsWith(RIGHT), copy(reason))
  })
  return form
}

function field(question, show) {
  const { value, near } = expected(question)
  const input = h("input", { type: "text", autocomplete: "off", inputmode: "decimal", "aria-label": `Your answer: ${title(question.heading)}` })
  const form = h("form", { class: "attn-question" }, input, h("button", { type: "submit", class: "attn-button" }, "Check"))
  form.addEventListener("submit", () => {
    const said = judge(numberIn(input.value, value), value, near)
    const reason = said.number ? copy(reasonOf(question.folds[0])) : []
    show(said.right, [h("p", {}, h("strong", {}, said.words)), ...reason], said.number)
  })
  return form
}
