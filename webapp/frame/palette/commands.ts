import type { RouteLocationRaw } from 'vue-router'
import type { IconName } from '../../components/icons.ts'

/** One line of the palette. */
export type Command = {
  readonly id: string
  readonly label: string
  readonly hint: string
  readonly icon: IconName
  readonly keys?: string | undefined
  /** Where it leads, or what it does. */
  readonly to?: RouteLocationRaw
  readonly run?: () => void
}

/** Maximum number of lines of a group. */
const MAX_LINES = 8

const textWords = (text: string): string[] =>
  text
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '')

/** How well a label matches: at its beginning, at the beginning of a word, anywhere. Infinity if it does not. */
const rankOf = ({ label, hint }: Command, words: readonly string[]): number => {
  const [inLabel, inHint] = [label.toLowerCase(), hint.toLowerCase()]
  let rank = 0
  for (const word of words) {
    const at = inLabel.indexOf(word)
    if (at === 0) continue
    if (at > 0) rank += /[^\p{L}\p{N}]/u.test(inLabel[at - 1] ?? '') ? 1 : 2
    else if (inHint.includes(word)) rank += 4
    else return Infinity
  }
  return rank
}

/** The commands that match all words of a text, best first; equal ones keep their order. */
export const matching = (commands: readonly Command[], text: string, max = MAX_LINES): readonly Command[] => {
  const words = textWords(text)
  return commands
    .map((command) => ({ command, rank: rankOf(command, words) }))
    .filter(({ rank }) => rank < Infinity)
    .toSorted((a, b) => a.rank - b.rank)
    .slice(0, max)
    .map(({ command }) => command)
}

/** A text in parts; those that match a word of the search are marked. */
export const markedParts = (
  label: string,
  text: string,
): ReadonlyArray<{ readonly part: string; readonly isMatch: boolean }> => {
  const lower = label.toLowerCase()
  const parts: Array<{ part: string; isMatch: boolean }> = []
  // Lower case can change the length of a text, and then positions in it mean nothing.
  const words = lower.length === label.length ? textWords(text) : []
  let from = 0
  while (from < label.length) {
    const hits = words
      .map((word) => ({ at: lower.indexOf(word, from), length: word.length }))
      .filter(({ at }) => at >= 0)
      .toSorted((a, b) => a.at - b.at || b.length - a.length)
    const [hit] = hits
    const end = hit?.at ?? label.length
    if (end > from) parts.push({ part: label.slice(from, end), isMatch: false })
    if (!hit) break
    parts.push({ part: label.slice(hit.at, hit.at + hit.length), isMatch: true })
    from = hit.at + hit.length
  }
  return parts
}
