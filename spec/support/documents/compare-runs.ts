import { ABSENT, caseOutlines, pairCases } from '../../../domain/statistics/comparison-order.ts'
import type { Outlines } from '../../../domain/statistics/comparison-order.ts'
import { compareCase, compareWholes, graderMoved } from '../../../domain/statistics/comparison.ts'
import type { ComparedCase, ComparedRun, Comparison } from '../../../domain/statistics/comparison.ts'

/** A run with its cases. */
export type WholeRun = ComparedRun & { readonly cases: readonly ComparedCase[] }

/** Outlines of cases whose hash is any text. */
const outlined = (cases: readonly ComparedCase[]): Outlines => {
  const outlines = caseOutlines(cases.length)
  cases.forEach(({ case_key, status, output_hash }, n) =>
    outlines.add({ n, case_key, status, output_hash: output_hash === null ? null : Buffer.alloc(32, output_hash) }),
  )
  return outlines
}

/** The comparison of two runs that are whole in memory. */
export const compareRuns = (base: WholeRun, head: WholeRun): Comparison => {
  const { pairs, summary } = pairCases(outlined(base.cases), outlined(head.cases))
  const at = (cases: readonly ComparedCase[], place: number | undefined) =>
    place === undefined || place === ABSENT ? undefined : cases[place]
  const cases = Array.from({ length: pairs.length / 2 }, (_, i) =>
    compareCase(at(base.cases, pairs[i * 2]), at(head.cases, pairs[i * 2 + 1]), graderMoved(base, head)),
  )
  return { base: base.id, head: head.id, summary, cases, ...compareWholes(base, head, summary) }
}
