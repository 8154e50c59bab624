import { caseFields } from '../../domain/run/case-fields.ts'
import { chooseJoin, joinCases, type Join } from '../../domain/statistics/pairing.ts'
import { printable } from '../../domain/text/printable.ts'
import { UsageError } from '../../engine/json.ts'
import { outcomeOf, type Comparison, type Outcome } from '../../engine/report/compare.ts'
import { percentText } from '../../engine/report/numbers.ts'
import { groupsOf, type ComparedGroup } from '../../queries/statistics/compared-groups.ts'

/** The shared cases of a comparison, grouped by a tag or a variable. */
export type DiffGroups = {
  readonly by: string
  readonly joined_by: Join
  readonly groups: readonly ComparedGroup[]
}

const TAG = 'tag'
/** Maximum number of fields that an error names. */
const MAX_NAMED = 20

/** The tags or the value of a variable of a case; none if it has no such value. */
const valuesOf = ({ item }: Outcome, by: string): readonly string[] => {
  if (by === TAG) return [...new Set(item.tags ?? [])]
  const value = caseFields({ vars: item.vars ?? {}, asserts: [] })[by]
  return value === undefined ? [] : [value]
}

/**
 * Groups the cases that both sides have by `tag`, or by a variable of the base: `city` or `var.city`. Groups are counted and
 * tested as the service does. Throws `UsageError` if no case has the field.
 */
export const diffGroups = ({ base, head }: Comparison, asked: string): DiffGroups => {
  const [before, after] = [base.cases.map(outcomeOf), head.cases.map(outcomeOf)]
  const join = chooseJoin([before, after])
  const pairs = joinCases(before, after, join).flatMap((pair) =>
    pair.base && pair.head ? [{ base: pair.base, head: pair.head }] : [],
  )
  const by = asked === TAG || asked.startsWith('var.') ? asked : `var.${asked}`
  const groups = new Map<string | null, typeof pairs>()
  for (const pair of pairs) {
    const values = valuesOf(pair.base, by)
    for (const value of values.length === 0 ? [null] : values) groups.set(value, [...(groups.get(value) ?? []), pair])
  }
  if ([...groups.keys()].every((value) => value === null)) {
    const names = new Set(pairs.flatMap(({ base: { item } }) => Object.keys(item.vars ?? {})))
    const known = [...(pairs.some(({ base: { item } }) => (item.tags ?? []).length > 0) ? [TAG] : []), ...names]
    const choices =
      known.length === 0 ? 'they have no tags and no variables' : `they have ${known.slice(0, MAX_NAMED).join(', ')}`
    throw new UsageError(`--by: no case that both have has ${printable(asked)}; ${printable(choices)}`)
  }
  return { by, joined_by: join, groups: groupsOf(groups, join) }
}

const signed = (share: number): string => `${share < 0 ? '−' : share > 0 ? '+' : ''}${percentText(Math.abs(share))}`

const WORDS = {
  worse: 'worse',
  better: 'better',
  no_clear_change: 'no clear difference',
  too_few: 'too few changes to tell',
} as const

/** The numbers of a group as texts: its cases, rates, changes, difference with its interval, and what they say. */
const cellsOf = (group: ComparedGroup): string[] => {
  const { value, cases, base_passed, head_passed, cases_worse, cases_better, difference, adjusted_p, verdict } = group
  const rate = (passed: number): string => (cases === 0 ? '–' : `${percentText(passed / cases)}%`)
  return [
    value === null ? '(without a value)' : printable(value) || '(empty)',
    String(cases),
    `${rate(base_passed)} → ${rate(head_passed)}`,
    `${cases_worse} worse, ${cases_better} better`,
    difference === null
      ? 'no difference to tell'
      : `${signed(difference.estimate)} points, 95% interval ${signed(difference.lower)} to ${signed(difference.upper)}`,
    adjusted_p === null ? '' : `p = ${adjusted_p.toFixed(3)}`,
    WORDS[verdict],
  ]
}

const titleOf = ({ by, groups }: DiffGroups): string =>
  `by ${printable(by)}: ${groups.length} ${groups.length === 1 ? 'group' : 'groups'}, most lost first, p adjusted for all of them`

/** The groups as lines of a terminal. */
export const groupLines = (found: DiffGroups): string[] => {
  const rows = found.groups.map(cellsOf)
  const widths = rows.reduce<number[]>(
    (widest, row) => row.map((cell, i) => Math.max(widest[i] ?? 0, [...cell].length)),
    [],
  )
  return [
    titleOf(found),
    ...rows.map((row) =>
      `  ${row.map((cell, i) => `${cell}${' '.repeat((widths[i] ?? 0) - [...cell].length)}`).join('  ')}`.trimEnd(),
    ),
  ]
}

/** The groups as a table of Markdown. */
export const groupMarkdown = (found: DiffGroups): string[] => [
  titleOf(found),
  '',
  '| Value | Cases | Pass rate | Changes | Difference | Adjusted p | |',
  '|---|---:|---|---|---|---|---|',
  ...found.groups.map(
    (group) =>
      `| ${cellsOf(group)
        .map((cell) => cell.replaceAll('|', '\\|'))
        .join(' | ')} |`,
  ),
]
