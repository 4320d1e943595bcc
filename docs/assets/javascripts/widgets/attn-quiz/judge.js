// Whether a number that a reader gave is near enough, and what to say of it.

const NUMBER = /^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i

// A number as people type it: with a comma or a point, as a fraction, with a minus of any kind. 1,234 may mean two
// numbers; the one that is nearer to the value is taken.
export function numberIn(text, value) {
  const plain = text.replace(/\s/g, "").replaceAll("−", "-")
  const read = (form) => form.split("/").map((part) => (NUMBER.test(part) ? Number(part) : NaN)).reduce((a, b) => a / b)
  const readings = [read(plain.replaceAll(/(\d*),(\d+)(?=$|\/)/g, "$1.$2"))]
  if (/^-?\d{1,3}(,\d{3})+(\.\d*)?$/.test(plain)) readings.push(read(plain.replaceAll(",", "")))
  return readings.filter(Number.isFinite).sort((a, b) => Math.abs(a - value) - Math.abs(b - value))[0] ?? NaN
}

export function judge(given, value, near) {
  if (!Number.isFinite(given)) return { number: false, right: false, words: "Type a number first, such as 0.5." }
  const off = Math.abs(given - value)
  const right = off <= near + 1e-9 // a last bit is no mistake
  return { number: true, right, words: right ? "Right." : given > value ? "No, that is too large." : "No, that is too small." }
}
