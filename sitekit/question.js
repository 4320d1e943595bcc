// What a reader types, as the theme's search takes it, and the order of what it finds.
//
// The theme asks for every word and for all that begin like it, "a" and "what" included, and takes some signs for
// commands. Here small words and signs go before that; a word that is nowhere is taken for the one it is most like; and
// what holds more of the words, or bears them as its name, stands before the rest. Nothing here knows of a page.

const BETWEEN = /[^\p{L}\p{N}_.']+|\.(?!\d)/u
const ENDING = /(?:ing|ed|es|s|e)$/
const MARKED = /<mark>(.*?)<\/mark>/g

/** Keep the nodes of lunr's tree of words apart: where digits run together, 1 to 23 and 12 to 3, it mixes them up. */
export function keepApart({ TokenSet }) {
  TokenSet.prototype.toString = function () {
    const edges = Object.keys(this.edges).sort()
    return [Number(this.final), ...edges.map((letter) => letter + this.edges[letter].id)].join(" ")
  }
}

/** The words of a text, each once, without those that `small` knows; but if there are no others, all. */
export function words(text, small) {
  const all = [...new Set(text.toLowerCase().replaceAll("’", "'").split(BETWEEN).filter(Boolean))]
  const told = all.filter((word) => !small(word))
  return told.length ? told : all
}

/** What the words that a word is found by begin with: its stem. A letter or a number stands for itself alone. */
export function beginning(word) {
  const stem = word.length > 4 ? word.replace(ENDING, "") : word
  return stem.length > 2 ? stem : word
}

const alone = (word) => word.length === 1 || /^[\d.]+$/.test(word)

/** Words that stand side by side, written as one: "flash attention" is FlashAttention, "causal mask" causal_mask. */
const joined = (asked) => asked.slice(1).flatMap((word, n) => [`${asked[n]}${word}`, `${asked[n]}_${word}`])

/** The query for some words: one that was typed counts for more than one that begins like it. */
export function query(asked) {
  const each = asked.map((word) => (alone(word) ? `${word}^8` : `${word}^8 ${beginning(word)}*`))
  return [...each, ...joined(asked).map((word) => `${word}^8`)].join(" ")
}

/** The word of the site that one which is nowhere is most like: one or two letters differ. */
export function likest(word, search) {
  for (const changes of word.length > 5 ? [1, 2] : word.length > 3 ? [1] : []) {
    const seen = Object.create(null)
    for (const { title, text } of search(`${word}~${changes}`).items.flat())
      for (const [, found] of `${title} ${text}`.toLowerCase().matchAll(MARKED)) seen[found] = (seen[found] ?? 0) + 1
    const [most] = Object.keys(seen).sort((a, b) => seen[b] - seen[a])
    if (most) return most
  }
  return word
}

/** The names that a title gives: "Grouped heads (grouped-query attention, GQA)" has three. */
function names(title) {
  const [main, others = ""] = title.replace(/<[^>]*>/g, "").split(" (")
  return [main, ...others.replace(")", "").split(",")]
}

/** A part of a page with the words that it holds and lacks, and a score by which it stands among the others. */
export function judged(part, asked, small) {
  const held = new Set(Object.keys(part.terms).filter((term) => part.terms[term]))
  const holds = (word, n) =>
    held.has(word) ||
    (!alone(word) && held.has(beginning(word))) ||
    joined(asked.slice(Math.max(n - 1, 0), n + 2)).some((pair) => held.has(pair))
  const stems = (some) => some.map(beginning).join(" ")
  const named = names(part.title).some((name) => stems(words(name, small)) === stems(asked))
  const terms = Object.fromEntries(asked.map((word, n) => [word, holds(word, n)]))
  return { ...part, terms, score: part.score * shareOf({ terms }) ** 3 * (named ? 2 : 1) }
}

/** The share of the words that a part holds. */
function shareOf({ terms }) {
  const held = Object.values(terms)
  return held.filter(Boolean).length / held.length
}

/** Pages without those parts that hold half of the words at most, if any part holds all. A page's head stays. */
export function telling(pages) {
  if (!pages.flat().some((part) => shareOf(part) === 1)) return pages
  return pages
    .filter((parts) => parts.some((part) => shareOf(part) > 1 / 2))
    .map((parts) => parts.filter((part) => shareOf(part) > 1 / 2 || !part.location.includes("#")))
}

/** What `search` finds for what a reader typed: pages, the best first, each as its parts, the best first. */
export function answer(text, search, small) {
  const best = (a, b) => b.score - a.score
  const found = (asked) =>
    telling(search(query(asked)).items.map((parts) => parts.map((part) => judged(part, asked, small))))
      .map((parts) => parts.sort(best))
      .sort(([a], [b]) => best(a, b))
  const typed = words(text, small)
  if (!typed.length) return { items: [] }
  const pages = found(typed)
  const lost = typed.filter((word) => !pages.some((parts) => parts.some((part) => part.terms[word])))
  if (!lost.length) return { items: pages }
  return { items: found(typed.map((word) => (lost.includes(word) ? likest(word, search) : word))) }
}
