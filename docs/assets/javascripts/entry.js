// The one script that every page loads for what lives in pages. It brings in a widget where its tag stands, when a
// reader comes near or the page has been at rest. A new widget is a folder and a line in this table.

const WIDGETS = [
  "attn-lookup",
  "attn-map",
  "attn-matrix",
  "attn-steps",
  "attn-saturation",
  "attn-cost",
  "attn-induction",
  "attn-cards",
  "attn-quiz",
]

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
  const parts = [import("./widgets/parts.js"), import(`./widgets/${tag}/${tag}.js`), styled(SHARED), styled(`./widgets/${tag}/${tag}.css`)]
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
}, { rootMargin: "100%" })

function look() {
  for (const element of document.querySelectorAll(WIDGETS)) {
    near.observe(element)
    setTimeout(() => element.isConnected && begin(element.localName), REST)
  }
}

// The theme tells of each page that it shows, the first one too; without the theme there is only one.
if (globalThis.document$) globalThis.document$.subscribe(look)
else look()
