// What the reader has marked, kept in the browser. Where it keeps nothing, the marks last as long as the page.

export function marks(name) {
  let found = {}
  try {
    const kept = JSON.parse(localStorage.getItem(name))
    if (kept?.constructor === Object) found = kept
  } catch {} // no storage, or not ours
  const keep = () => {
    try {
      localStorage.setItem(name, JSON.stringify(found))
    } catch {} // full, or forbidden
  }
  return {
    get: (key) => found[key],
    set(key, mark) { found[key] = mark; keep() },
    clear() { found = {}; keep() },
  }
}
