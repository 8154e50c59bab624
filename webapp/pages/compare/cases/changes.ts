import type { ComparisonStatistics } from '../../../../queries/statistics/comparison-statistics.ts'
import type { ComparedCases } from '../../../../queries/statistics/compared-cases.ts'
import type { ChangeFilter } from '../../../../domain/lists/changes.ts'
import type { IconName } from '../../../components/icons.ts'
import { formatCount } from '../../../text/format.ts'
import { visibleLine } from '../../../text/visible-text.ts'
import type { PairNames } from '../result/verdict.ts'

export type ComparedCase = ComparedCases['cases'][number]
export type Change = ComparedCase['change']

type Look = { readonly words: string; readonly icon?: IconName; readonly tone?: 'pass' | 'fail' }

/** What happened to a case, in words. */
const CHANGE_LOOKS: Readonly<Record<Change, Look>> = {
  worse: { words: 'Got worse', icon: 'down', tone: 'fail' },
  better: { words: 'Got better', icon: 'up', tone: 'pass' },
  undecided: { words: 'Skipped in one or both' },
  still_failing: { words: 'Still failing' },
  still_passing: { words: 'Still passing' },
  base_only: { words: 'Only in' },
  head_only: { words: 'Only in' },
}

const isChange = (filter: ChangeFilter): filter is Change => filter in CHANGE_LOOKS

/** What happened to a case, with the name of the side that alone has it. */
export const changeLook = (change: Change, names: PairNames): Look => {
  const look = CHANGE_LOOKS[change]
  if (change !== 'base_only' && change !== 'head_only') return look
  return { ...look, words: `${look.words} ${change === 'base_only' ? names.base : names.head}` }
}

/** A filter as a button. */
export const filterLook = (filter: ChangeFilter, names: PairNames): Look => {
  if (isChange(filter)) return changeLook(filter, names)
  return {
    words: {
      changed: 'Verdict changed',
      lost: 'Lost',
      flipped: 'Assertion flipped, same verdict',
      all: 'All',
    }[filter],
  }
}

/** The filters in their order. */
export const FILTERS = [
  'changed',
  'worse',
  'better',
  'still_failing',
  'still_passing',
  'flipped',
  'undecided',
  'lost',
  'base_only',
  'head_only',
  'all',
] as const satisfies readonly ChangeFilter[]

export const isFilter = (value: unknown): value is ChangeFilter => FILTERS.includes(value as ChangeFilter)

/** Counts of cases by what happened to them. `lost` and `flipped` are null until the list is there. */
export type Counts = Omit<ComparedCases['counts'], 'lost' | 'flipped'> &
  Readonly<Record<'lost' | 'flipped', number | null>>

/** The counts that the statistics contain. */
export const countsIn = ({
  worse,
  better,
  still_failing,
  still_passing,
  left_out,
  shared,
}: ComparisonStatistics): Counts => ({
  worse,
  better,
  undecided: left_out,
  still_failing,
  still_passing,
  base_only: shared.base_only,
  head_only: shared.head_only,
  lost: null,
  flipped: null,
  all: shared.cases + shared.base_only + shared.head_only,
})

/** How many cases a filter lists; null if that is not known yet. */
export const changeCount = (counts: Counts, filter: ChangeFilter): number | null =>
  filter === 'changed' ? counts.worse + counts.better : counts[filter]

/** How many cases a group of the list has; null under `lost` and `flipped`, which list only some cases of a group. */
export const groupCount = (counts: ComparedCases['counts'], filter: ChangeFilter, group: Change): number | null =>
  filter === 'lost' || filter === 'flipped' ? null : counts[group]

/** As wide as `…`, which stands for an unknown count. */
const UNKNOWN_WIDTH = 2

/** The number of characters that the count of a filter may need. */
export const widthOf = (counts: Counts, filter: ChangeFilter): number => {
  if (filter === 'lost') return widthOf(counts, 'undecided') + 1
  return filter === 'flipped'
    ? Math.max(UNKNOWN_WIDTH, formatCount(counts.still_failing + counts.still_passing).length)
    : formatCount(changeCount(counts, filter) ?? 0).length
}

/** The key that names a pair in an address: that of the head, else that of the base. */
export const comparedKey = ({ base, head }: ComparedCase): string => head?.case_key ?? base?.case_key ?? ''

/** The name of a case: its name, else its test. */
export const comparedName = ({ name, test_id }: Pick<ComparedCase, 'name' | 'test_id'>): string =>
  visibleLine(name ?? test_id ?? '') || 'unnamed case'

/**
 * For the cases whose name others have, the ids of their tests: only the last parts if these are all different.
 */
export const sharedNameIds = (cases: readonly ComparedCase[]): ReadonlyMap<ComparedCase, string> => {
  const ids = new Map<ComparedCase, string>()
  for (const group of Map.groupBy(cases, comparedName).values()) {
    const tests = new Set(group.map(({ test_id }) => test_id ?? ''))
    const isShort = new Set([...tests].map(lastPart)).size === tests.size
    if (tests.size > 1)
      for (const item of group)
        ids.set(item, visibleLine(isShort ? lastPart(item.test_id ?? '') : (item.test_id ?? '')))
  }
  return ids
}
const lastPart = (id: string): string => id.slice(Math.max(id.lastIndexOf('/'), id.lastIndexOf(':')) + 1)

/** Each assertion that flipped, with its judge and what it became. */
export const flipTitle = (flips: ReadonlyArray<Flip & { readonly base_passed: boolean }>): string =>
  flips
    .map(
      ({ label, kind, name, base_passed }) =>
        `${visibleLine(name || label || kind)} ${base_passed ? 'passed, now fails' : 'failed, now passes'}`,
    )
    .join('\n')

type Flip = { readonly label: string; readonly kind: string; readonly name?: string | null }

/** `completeness ×2, accuracy`: without the judges. */
export const flipWords = (flips: readonly Flip[]): string => {
  const counts = new Map<string, number>()
  for (const { label, kind, name } of flips) {
    const words = name?.replace(/ · [^·]*$/, '') || label || kind
    counts.set(words, (counts.get(words) ?? 0) + 1)
  }
  return [...counts].map(([label, n]) => `${visibleLine(label)}${n > 1 ? ` ×${n}` : ''}`).join(', ')
}
