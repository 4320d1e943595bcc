// Whether a number that a reader gave is near enough, and what to say of it.

export function judge(given, value, near) {
  if (!Number.isFinite(given)) return { number: false, right: false, words: "Type a number first, such as 0.5." }
  const off = Math.abs(given - value)
  const right = off <= near + 1e-9 // a last bit is no mistake
  return { number: true, right, words: right ? "Right." : given > value ? "No, that is too large." : "No, that is too small." }
}
