import { ABSENT, caseOutlines, pairCases, type Outlines } from '../../../domain/statistics/comparison-order.ts'
import { compareCase, compareSummaries, isGraderChanged } from '../../../domain/statistics/comparison.ts'
import type { ComparedCase, ComparedRun, Comparison } from '../../../domain/statistics/comparison.ts'

/** A run with its cases. */
export type WholeRun = ComparedRun & { readonly cases: readonly ComparedCase[] }

/** Returns the outlines of cases. In these specs, any number can be the hash of an output. */
const outlinesOf = (cases: readonly ComparedCase[]): Outlines => {
  const outlines = caseOutlines(cases.length)
  cases.forEach(({ case_key, status, output_hash }, n) =>
    outlines.add({ n, case_key, status, output_hash: output_hash === null ? null : Buffer.alloc(32, output_hash) }),
  )
  return outlines
}

/** Compares two runs whose cases are in memory. */
export const compareRuns = (base: WholeRun, head: WholeRun): Comparison => {
  const { pairs, summary } = pairCases(outlinesOf(base.cases), outlinesOf(head.cases))
  const caseAt = (cases: readonly ComparedCase[], index: number | undefined) =>
    index === undefined || index === ABSENT ? undefined : cases[index]
  const cases = Array.from({ length: pairs.length / 2 }, (_, i) =>
    compareCase(caseAt(base.cases, pairs[i * 2]), caseAt(head.cases, pairs[i * 2 + 1]), isGraderChanged(base, head)),
  )
  return { base: base.id, head: head.id, summary, cases, ...compareSummaries(base, head, summary) }
}
