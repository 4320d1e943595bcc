// Puts Run and Edit on the blocks of Python that a browser can run. What does the work is fetched when one is pressed.

const KEYS = "Control+Enter"

function button(name, number) {
  const made = document.createElement("button")
  made.type = "button"
  made.name = name.toLowerCase()
  made.textContent = name
  made.setAttribute("aria-label", `${name} block ${number}`)
  if (name === "Run") made.setAttribute("aria-keyshortcuts", KEYS)
  return made
}

// Called for each page, also for one that takes another's place without a reload.
function mark() {
  document.querySelectorAll(".live, .native").forEach((block, index) => {
    if (block.querySelector(":scope > .live-bar")) return
    const bar = document.createElement("div")
    bar.className = "live-bar"
    if (block.matches(".live")) bar.append(button("Run", index + 1), button("Edit", index + 1))
    else bar.append(`Not in the browser: ${block.dataset.why}.`)
    block.append(bar)
  })
}

async function press(block, action) {
  try {
    const { press } = await import("./blocks.js")
    press(block, action)
  } catch (error) {
    block.querySelector(".live-bar").append(" What runs this could not be fetched. ")
    throw error
  }
}

document.addEventListener("click", (event) => {
  const pressed = event.target.closest?.(".live-bar button")
  if (pressed) press(pressed.closest(".live"), pressed.name)
})
document.addEventListener("keydown", (event) => {
  const block = event.key === "Enter" && (event.ctrlKey || event.metaKey) && event.target.closest?.(".live")
  if (!block) return
  event.preventDefault()
  press(block, "run")
})
if (window.document$) window.document$.subscribe(mark)
else mark()
