import { z } from 'zod'
import { adjustForMany, FALSE_DISCOVERY_RATE } from '../../domain/statistics/many.ts'
import { meanInterval } from '../../domain/statistics/means.ts'
import { MIN_CHANGED } from '../../domain/statistics/paired-rates.ts'
import {
  chooseJoin,
  countPairs,
  joinCases,
  mostTrials,
  pairUnits,
  pairingUnits,
  type CaseOutcome,
  type Join,
} from '../../domain/statistics/pairing.ts'
import { SIGNIFICANCE } from '../../domain/statistics/quantiles.ts'
import { VerdictView, viewOfVerdict } from './comparison-statistics.ts'

const count = z.number().int()

/** A run or a column of a run against the base. */
export const AgainstBase = VerdictView.extend({
  shared: count,
  /** Adjusted for the number of comparisons with the base (Benjamini and Hochberg). The verdict uses it. */
  adjusted_p: z.number().nullable(),
  /** Alone it would read as worse or better; only the adjustment removes that. */
  removed_by_adjustment: z.boolean(),
})
type AgainstBase = z.infer<typeof AgainstBase>
type Found = Omit<AgainstBase, 'adjusted_p' | 'removed_by_adjustment'>

const byCases = (base: readonly CaseOutcome[], other: readonly CaseOutcome[], join: Join): Found => {
  const counts = countPairs(joinCases(base, other, join))
  return { shared: counts.shared, ...viewOfVerdict(counts) }
}

/**
 * By tests, because the trials of a test depend on each other: the shares of passed trials differ by a paired t test
 * over tests. With one trial each, it is the exact test of the cases.
 */
const byTests = (base: readonly CaseOutcome[], other: readonly CaseOutcome[], join: Join): Found => {
  const [before, after] = [pairingUnits(base, join), pairingUnits(other, join)]
  if (Math.max(mostTrials(before), mostTrials(after)) <= 1) return byCases(base, other, join)
  const units = pairUnits(before, after)
  const differences = units.map(({ base_pass, head_pass }) => head_pass - base_pass)
  const [worse, better] = [differences.filter((d) => d < 0).length, differences.filter((d) => d > 0).length]
  const interval = meanInterval(differences)
  const isClear = interval !== null && interval.p_value < SIGNIFICANCE
  return {
    shared: units.length,
    pairs: units.length,
    worse,
    better,
    verdict:
      worse + better < MIN_CHANGED ? 'too_few' : !isClear ? 'no_clear_change' : interval.mean < 0 ? 'worse' : 'better',
    p_value: interval?.p_value ?? null,
    mid_p: null,
    difference: interval && { estimate: interval.mean, lower: interval.lower, upper: interval.upper },
  }
}

/** Adjusts the p-values of all comparisons with one base together. */
const withAdjustedP = (found: readonly Found[]): AgainstBase[] => {
  const tested = found.filter(({ p_value }) => p_value !== null)
  const adjusted = adjustForMany(tested.map(({ p_value }) => p_value ?? 1))
  return found.map((each): AgainstBase => {
    const adjusted_p = adjusted[tested.indexOf(each)] ?? null
    const isRemoved = each.p_value !== null && each.p_value < SIGNIFICANCE && (adjusted_p ?? 1) >= FALSE_DISCOVERY_RATE
    return {
      ...each,
      verdict: isRemoved ? 'no_clear_change' : each.verdict,
      adjusted_p,
      removed_by_adjustment: isRemoved,
    }
  })
}

/** Compares runs with one base by their cases. All are joined alike. */
export const compareRuns = (
  base: readonly CaseOutcome[],
  others: ReadonlyArray<readonly CaseOutcome[]>,
  join: Join,
): AgainstBase[] => withAdjustedP(others.map((other) => byCases(base, other, join)))

/**
 * Compares columns with one base by tests, whose trials count once. Each is joined by itself: a column without a test of the
 * base takes nothing from the others.
 */
export const compareColumns = (
  base: readonly CaseOutcome[],
  others: ReadonlyArray<readonly CaseOutcome[]>,
): AgainstBase[] => {
  const partnersOf = partnersIn(base)
  return withAdjustedP(
    others.map((other) => {
      const partners = partnersOf(other)
      return byTests(partners, other, chooseJoin([partners, other]))
    }),
  )
}

/**
 * Compares groups of the pairs of two runs, each with its base, by tests, whose trials count once. The p-values of all groups
 * are adjusted together.
 */
export const compareGroups = (
  groups: ReadonlyArray<ReadonlyArray<{ readonly base: CaseOutcome; readonly head: CaseOutcome }>>,
  join: Join,
): AgainstBase[] =>
  withAdjustedP(
    groups.map((pairs) =>
      byTests(
        pairs.map(({ base }) => base),
        pairs.map(({ head }) => head),
        join,
      ),
    ),
  )

/**
 * Finds the cases that any join may pair with those of a column. The base is read once: it may have most of the cases of a
 * run, and the others few.
 */
const partnersIn = (base: readonly CaseOutcome[]): ((other: readonly CaseOutcome[]) => CaseOutcome[]) => {
  const byKey = Map.groupBy(base, ({ case_key }) => case_key)
  const byTest = Map.groupBy(base, ({ test_id }) => test_id ?? '')
  byTest.delete('')
  return (other) => {
    const tests = new Set(other.map(({ test_id }) => test_id ?? ''))
    const ofTests = [...tests].flatMap((test) => byTest.get(test) ?? [])
    return [...new Set([...ofTests, ...other.flatMap(({ case_key }) => byKey.get(case_key) ?? [])])]
  }
}
