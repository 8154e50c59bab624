import type { CaseDocument, RunDocument } from '../runner/run-document.ts'
import { UsageError } from '../json.ts'
import { caseName } from '../../domain/lists/case-name.ts'
import { printable } from '../../domain/text/printable.ts'

const MIN_PREFIX = 4
const MAX_SUGGESTIONS = 5

/** The cases of a run that fail its gate: failed, errored, and passed against expectation. */
export const failedCases = (cases: readonly CaseDocument[]): CaseDocument[] =>
  cases.filter(({ status }) => status === 'fail' || status === 'error' || status === 'xpass')

/**
 * The cases that selectors name, in the order of the run. Of the matches of a selector only the best class counts: an
 * exact case key, a prefix of one (four characters or more), a test id, a part of the name. Throws `UsageError` for a
 * selector without a match.
 */
export const selectCases = ({ cases }: RunDocument, selectors: readonly string[]): CaseDocument[] => {
  const selected = new Set<CaseDocument>()
  for (const selector of selectors) for (const match of matchesOf(cases, selector)) selected.add(match)
  return cases.filter((item) => selected.has(item))
}

const matchesOf = (cases: readonly CaseDocument[], selector: string): readonly CaseDocument[] => {
  const classes: ReadonlyArray<(item: CaseDocument) => boolean> = [
    ({ case_key }) => case_key === selector,
    ({ case_key }) => selector.length >= MIN_PREFIX && case_key.startsWith(selector),
    ({ cell }) => cell.test_id === selector,
    (item) => selector !== '' && caseName(item).includes(selector),
  ]
  for (const matches of classes) {
    const found = cases.filter(matches)
    if (found.length > 0) return found
  }
  throw new UsageError(`no case matches ${printable(JSON.stringify(selector))}${suggestions(cases, selector)}`)
}

/** Up to five names that are most like the selector. */
const suggestions = (cases: readonly CaseDocument[], selector: string): string => {
  const wanted = characterPairs(selector)
  const likeness = new Map<string, number>()
  for (const item of cases)
    for (const name of [caseName(item), item.cell.test_id])
      if (!likeness.has(name)) likeness.set(name, likenessOf(wanted, characterPairs(name)))
  const names = [...likeness].sort(([, a], [, b]) => b - a).slice(0, MAX_SUGGESTIONS)
  return names.length === 0 ? '' : `; there are ${names.map(([name]) => printable(name)).join(', ')}`
}

const characterPairs = (text: string): ReadonlySet<string> => {
  const lower = text.toLowerCase()
  return new Set(Array.from({ length: Math.max(0, lower.length - 1) }, (_, index) => lower.slice(index, index + 2)))
}

/** The overlap of two sets of character pairs (L. R. Dice, Ecology 26, 1945, 297-302): 0 to 1. */
const likenessOf = (a: ReadonlySet<string>, b: ReadonlySet<string>): number => {
  let common = 0
  for (const pair of a) if (b.has(pair)) common += 1
  return a.size + b.size === 0 ? 0 : (2 * common) / (a.size + b.size)
}
