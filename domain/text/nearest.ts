/** Returns the edit distance of two short texts: insertions, deletions, replacements and swaps of neighbours. */
const distance = (a: string, b: string): number => {
  let twoBack: number[] = []
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const cost = a[i - 1] === b[j - 1] ? 0 : 1
      let best = Math.min(previous[j]! + 1, row[j - 1]! + 1, previous[j - 1]! + cost)
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) best = Math.min(best, twoBack[j - 2]! + 1)
      row.push(best)
    }
    twoBack = previous
    previous = row
  }
  return previous[b.length]!
}

/** Longer names are never typing errors of a key, and their distance would take long. */
const MAX_NAME_LENGTH = 60

/** Returns the accepted name that a misspelled one most likely means, or undefined if none is close. */
export const nearestName = (name: string, accepted: readonly string[]): string | undefined => {
  if (name.length > MAX_NAME_LENGTH) return undefined
  const plain = (text: string) => text.toLowerCase().replaceAll(/[-_ ]/g, '')
  let nearest: { candidate: string; edits: number } | undefined
  for (const candidate of accepted) {
    const edits = distance(plain(name), plain(candidate))
    if (edits <= Math.max(1, Math.floor(candidate.length / 3)) && edits < (nearest?.edits ?? Infinity))
      nearest = { candidate, edits }
  }
  return nearest?.candidate
}

/** Returns ` (did you mean …?)` for the nearest accepted name, or an empty text. */
export const didYouMean = (name: string, accepted: readonly string[]): string => {
  const nearest = nearestName(name, accepted)
  return nearest === undefined ? '' : `; did you mean \`${nearest}\`?`
}

/** Returns names as a list in a message: `a`, `b`, `c`. */
export const quotedNames = (names: readonly string[]): string => names.map((name) => `\`${name}\``).join(', ')
