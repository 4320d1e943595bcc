// The maps of a trained network, as its file holds them: whole thousandths, head by head, row by row.
// Nothing of the page here; tests/widgets holds it to what attnref computed.

// layer and head count from zero, as everywhere in code; people count them from one.
export function mapOf({ heads }, sentence, layer, head) {
  const n = sentence.words.length
  const start = (layer * heads + head) * n * n
  return Array.from({ length: n }, (_, i) => sentence.thousandths.slice(start + i * n, start + (i + 1) * n))
}

export const largest = (row) => row.indexOf(Math.max(...row))

// A weight that is not zero is not shown as zero: softmax gives none.
export const exact = (thousandths) => (thousandths === 0 ? "less than 0.001" : (thousandths / 1000).toFixed(3))
export const percent = (thousandths) => String(Math.round(thousandths / 10))

// What a screen reader is told of a map: for each word that asks, whom it asks most.
export const told = (words, map) =>
  words.map((word, i) => `${word}: ${words[largest(map[i])]} ${percent(map[i][largest(map[i])])} %`).join(", ")
