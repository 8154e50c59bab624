import { ownText } from '../text/own-text.ts'
import { MAX_USD, microUsd, storableText } from '../text/stored-values.ts'
import { firstCodePoints } from './document.ts'
import { InvalidDocument } from './invalid-document.ts'

// Values of a run document as the read tables store them.

/** Maximum length of a free text in a list; the document contains the whole text. */
const MAX_LABEL_CODE_POINTS = 2_000

/** Maximum number of tags of a run or a case: each is a row of an index. */
const MAX_TAGS = 200

/** The first code points of a text as stored. The facts of all cases are in memory at once, so they keep no whole text. */
export const storedBeginning = (text: string, codePoints: number): string => {
  const beginning = firstCodePoints(text, codePoints)
  return beginning === text ? storableText(text) : ownText(storableText(beginning))
}

export const label = (text: string | undefined): string | null =>
  text === undefined ? null : storedBeginning(text, MAX_LABEL_CODE_POINTS)

export const labelUnlessEmpty = (text: string | undefined): string | null => label(text || undefined)

/** Returns the tags of a run or a case. Throws `InvalidDocument` for more than `MAX_TAGS`. */
export const checkedTags = (tags: readonly string[] | undefined, path: string): readonly string[] => {
  if (tags !== undefined && tags.length > MAX_TAGS)
    throw new InvalidDocument('invalid', `invalid run document: ${path}: at most ${MAX_TAGS} tags, got ${tags.length}`)
  return tags ?? []
}

/** Whole micro-USD. Throws `InvalidDocument` for an amount that would not be exact. */
export const micro = (usd: number | undefined, path: string): number | null => {
  if (usd === undefined) return null
  if (Math.abs(usd) > MAX_USD)
    throw new InvalidDocument('invalid', `invalid run document: ${path}: must be at most ${MAX_USD} USD`)
  return microUsd(usd)
}
