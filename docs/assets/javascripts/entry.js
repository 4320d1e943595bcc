// The one script that every page loads for what lives in pages. It brings in a widget where its tag stands, when a
// reader comes near or the page has been at rest. A new widget is a folder and a line in this table.

const WIDGETS = {
  "attn-lookup": () => import("./widgets/attn-lookup/attn-lookup.js"),
  "attn-map": () => import("./widgets/attn-map/attn-map.js"),
  "attn-matrix": () => import("./widgets/attn-matrix/attn-matrix.js"),
  "attn-steps": () => import("./widgets/attn-steps/attn-steps.js"),
  "attn-saturation": () => import("./widgets/attn-saturation/attn-saturation.js"),
  "attn-cost": () => import("./widgets/attn-cost/attn-cost.js"),
  "attn-induction": () => import("./widgets/attn-induction/attn-induction.js"),
  "attn-cards": () => import("./widgets/attn-cards/attn-cards.js"),
  "attn-quiz": () => import("./widgets/attn-quiz/attn-quiz.js"),
}

const SHARED = "../stylesheets/widgets.css"
const sheets = new Map() // a promise for each style sheet

// In the body: when the theme exchanges a page, it clears the head of what the next page does not name.
function styled(path) {
  if (!sheets.has(path)) {
    sheets.set(path, new Promise((resolve, reject) => {
      const link = document.createElement("link")
      link.rel = "stylesheet"
      link.href = new URL(path, import.meta.url).href
      link.onload = resolve
      link.onerror = () => reject(new Error(`${path} cannot be loaded`))
      document.body.append(link)
    }))
    sheets.get(path).catch(() => sheets.delete(path)) // the next page tries again
  }
  return sheets.get(path)
}

// If a file cannot be had, the element stays what it is without script: the table that it stands around.
async function bring(tag) {
  const parts = [import("./widgets/parts.js"), WIDGETS[tag](), styled(SHARED), styled(`./widgets/${tag}/${tag}.css`)]
  const [{ define }, { build }] = await Promise.all(parts)
  if (!customElements.get(tag)) define(tag, build)
}

const REST = 3000 // whoever jumps to a widget finds it alive
const begun = {}

function begin(tag) {
  begun[tag] ??= bring(tag).catch((error) => delete begun[tag] && console.warn(error))
}

const near = new IntersectionObserver((found) => {
  for (const { isIntersecting, target } of found) if (isIntersecting) begin(target.localName)
}, { rootMargin: "100%" }) // from one window's height away

function look() {
  for (const element of document.querySelectorAll(Object.keys(WIDGETS))) {
    near.observe(element)
    setTimeout(() => element.isConnected && begin(element.localName), REST)
  }
}

// The theme tells of each page that it shows, the first one too; without the theme there is only one.
if (globalThis.document$) globalThis.document$.subscribe(look)
else look()
