import type { RouteLocationNamedRaw } from 'vue-router'
import type { ChangeFilter } from '../../../domain/lists/changes.ts'
import type { IconName } from '../../components/icons.ts'
import { suiteAddress } from '../../suites/suite-address.ts'
import type { OverviewSuite } from '../../suites/use-overview.ts'

type Group = OverviewSuite['group']

export const GROUPS = [
  'attention',
  'steady',
  'no_trend',
  'snoozed',
  'quiet',
  'archived',
] as const satisfies readonly Group[]
export const GROUP_WORDS: Readonly<Record<Group, string>> = {
  attention: 'Needs attention',
  steady: 'Steady',
  no_trend: 'No trend yet',
  snoozed: 'Snoozed',
  quiet: 'Quiet: no run for 90 days',
  archived: 'Archived',
}

/** The icon of a reason, and the class that colours it. */
const LOOKS: Readonly<Record<string, { readonly icon: IconName; readonly tone: string }>> = {
  worse: { icon: 'fall', tone: 'fail' },
  lost: { icon: 'fall', tone: 'fail' },
  judge: { icon: 'columns', tone: 'xfail' },
  cost: { icon: 'rise', tone: 'xfail' },
  latency: { icon: 'clock', tone: 'xfail' },
  flaky: { icon: 'flips', tone: 'xfail' },
  errors: { icon: 'error', tone: 'error' },
  stale: { icon: 'clock', tone: 'm2' },
  better: { icon: 'rise', tone: 'pass' },
  first_run: { icon: 'clock', tone: 'm3' },
  other_providers: { icon: 'columns', tone: 'm3' },
  other_cases: { icon: 'columns', tone: 'm3' },
}
export const reasonLook = (code: string): { readonly icon: IconName; readonly tone: string } =>
  LOOKS[code] ?? { icon: 'check', tone: 'm3' }

/** The cases that changed between the previous like run and the newest one. Null without a previous run. */
const changedCases = (
  { previous_run, newest_run }: Pick<OverviewSuite, 'previous_run' | 'newest_run'>,
  filter: ChangeFilter,
): RouteLocationNamedRaw | null =>
  previous_run && { name: 'compare', params: { base: previous_run.id, head: newest_run.id }, query: { filter } }

const comparison = (base: string, head: string): RouteLocationNamedRaw => ({ name: 'compare', params: { base, head } })

/** The flaky cases of a suite. */
export const flakyCases = (suite: OverviewSuite): RouteLocationNamedRaw => ({
  ...suiteAddress(suite),
  query: { order: 'flaky' },
})

/** What a reason is about: the cases that changed, flip or ended in error, or the runs. Null if there are none. */
export const evidenceOf = (suite: OverviewSuite): RouteLocationNamedRaw | null => {
  switch (suite.reason.code) {
    case 'worse':
    case 'better':
    case 'lost':
      return changedCases(suite, suite.reason.code)
    case 'no_clear_change':
    case 'too_few':
      return changedCases(suite, 'changed')
    case 'judge':
    case 'cost':
    case 'latency':
      return suite.previous_run && comparison(suite.previous_run.id, suite.newest_run.id)
    case 'flaky':
      return flakyCases(suite)
    case 'errors':
      return { name: 'run', params: { id: suite.newest_run.id }, query: { status: 'error' } }
    case 'unchanged':
      return suite.reason.still_failing?.cases ? changedCases(suite, 'still_failing') : null
    case 'stale':
    case 'other_providers':
    case 'other_cases':
      return { name: 'runs', query: { project: suite.project, suite: suite.suite, cached: 'all' } }
    case 'first_run':
      return { name: 'run', params: { id: suite.newest_run.id } }
  }
}

/** `0.031`, `<0.001`, `1` */
const formatP = (p: number): string => (p < 0.001 ? '<0.001' : String(Number(p.toPrecision(2))))

/** The p-value of a change and its adjusted value, in words; null if the suite has no change to test. */
export const testWords = ({ p, q, assumes_independence, reason }: OverviewSuite): string | null => {
  const { code, lower, upper } = reason
  if ((code === 'cost' || code === 'latency') && lower !== undefined && upper !== undefined)
    return `95% interval ${lower.toFixed(2)} to ${upper.toFixed(2)} times, q ${formatP(reason.q ?? 1)} over all suites`
  if (p === null) return null
  const adjusted = q === null ? '' : `, q ${formatP(q)} over all suites that changed`
  return `exact paired test p ${formatP(p)}${adjusted}${assumes_independence ? '; repeated trials count as independent' : ''}`
}

/** Whether a change is a verdict, so that its counts are coloured. */
export const isVerdict = ({ reason }: OverviewSuite): boolean => reason.code === 'worse' || reason.code === 'better'
