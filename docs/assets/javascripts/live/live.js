// Puts Run and Edit on the blocks of Python that a browser can run. What does the work is fetched when one is pressed;
// Python itself when something runs.

function button(name, what) {
  const made = document.createElement("button")
  made.type = "button"
  made.name = name.toLowerCase()
  made.textContent = name
  made.setAttribute("aria-label", `${name} ${what}`)
  return made
}

// Called for each page, also for one that takes another's place without a reload.
function mark() {
  document.querySelectorAll(".live, .native").forEach((block, index) => {
    if (block.querySelector(":scope > .live-bar")) return
    const bar = document.createElement("div")
    bar.className = "live-bar"
    if (block.matches(".native")) bar.append(`Not in the browser: ${block.dataset.why}.`)
    else if (!block.matches(".exercise")) bar.append(...["Run", "Edit"].map((name) => button(name, `block ${index + 1}`)))
    else {
      bar.append(...["Check", "Run", "Reset"].map((name) => button(name, "your program")))
      act(block, ({ open }) => open(block))
    }
    block.append(bar)
  })
}

async function act(block, how) {
  try {
    how(await import(block.matches(".exercise") ? "./exercise.js" : "./blocks.js"))
  } catch (error) {
    block.querySelector(".live-bar").append(" What runs this could not be fetched. ")
    throw error
  }
}

let before = {} // the button of the click before this one, and its name then

document.addEventListener("click", (event) => {
  const pressed = event.target.closest?.(".live-bar button")
  const block = pressed?.closest(".live")
  if (!block) return
  const { name } = pressed // now: by the time that the modules are here, it may be another
  // A double click wants what its first click has done.
  if (event.detail === 2 && pressed === before.pressed && name !== before.name) return
  before = { pressed, name }
  act(block, ({ press }) => press(block, name))
})
document.addEventListener("keydown", (event) => {
  const block = event.key === "Enter" && event.target.closest?.(".live")
  if (!block) return
  const asked = event.ctrlKey || event.metaKey
  // A key that is held would start and stop in turn.
  if (asked || (event.repeat && event.target.matches(".live-bar button"))) event.preventDefault()
  if (asked && !event.repeat) act(block, ({ press }) => press(block, block.matches(".exercise") ? "check" : "run"))
})
mark()
window.document$?.subscribe(mark)
