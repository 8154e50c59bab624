import type { ComparedGroups } from '../../../../queries/statistics/compared-groups.ts'
import { fieldWords } from '../../../cases/case-fields.ts'
import { formatCount, plural } from '../../../text/format.ts'
import { formatP, formatPoints } from '../../../text/signed.ts'
import { visibleLine } from '../../../text/visible-text.ts'

export type Group = ComparedGroups['groups'][number]

/** What a group is called: its value, or that it has none. */
export const groupName = ({ value }: Pick<Group, 'value'>, by: string): string =>
  value === null ? `no ${fieldWords(by)}` : visibleLine(value) || '(empty)'

/** The difference with its interval: `−33.3 points, 95% interval −50.1 to −14.0`. */
export const differenceWords = ({ difference }: Pick<Group, 'difference'>): string | null =>
  difference &&
  `${formatPoints(difference.estimate)} points, 95% interval ${formatPoints(difference.lower)} to ${formatPoints(difference.upper)}`

/** The adjusted p, and why it is no verdict if too few cases changed. */
export const chanceOf = ({ verdict, adjusted_p }: Pick<Group, 'verdict' | 'adjusted_p'>): string =>
  adjusted_p === null ? 'no verdict' : verdict === 'too_few' ? 'too few changes' : formatP(adjusted_p)

/** The group that lost most cases, with what it lost; null if none lost more than it won. */
export const mostLost = (groups: readonly Group[]): { readonly group: Group; readonly words: string } | null => {
  const [group] = groups
  if (!group || group.cases_worse <= group.cases_better) return null
  const { cases_worse, cases_better, cases } = group
  const change = differenceWords(group)
  const parts = [
    `${formatCount(cases_worse)} worse and ${formatCount(cases_better)} better of ${plural(cases, 'case')}`,
    ...(change === null ? [] : [change]),
    chanceOf(group),
  ]
  return { group, words: parts.join('; ') }
}

/** The parameter of the address that lists the cases of a group. */
export const groupFilter = (
  value: string,
  by: string,
): { readonly tag: string | undefined; readonly field: string | undefined } => ({
  tag: by === 'tag' ? value : undefined,
  field: by === 'tag' ? undefined : `${by}=${value}`,
})
