import { fisherExact } from '../statistics/fisher-exact.ts'
import { countLabelled, type Labelled } from '../statistics/judge.ts'

/** The p-values that labels of two sources are of one judge's errors, among the cases that it passed and failed; null without labels of both. */
export type LabelsDiffer = { readonly p_passed: number | null; readonly p_failed: number | null }

const test = (one: readonly [number, number], other: readonly [number, number]): number | null =>
  one[0] + one[1] === 0 || other[0] + other[1] === 0 ? null : fisherExact(one, other)

/** Whether a judge errs alike in two sets of labelled cases: Fisher's exact test in each verdict. */
export const errsAlike = (one: Labelled, other: Labelled): LabelsDiffer => ({
  p_passed: test([one.x1, one.m1 - one.x1], [other.x1, other.m1 - other.x1]),
  p_failed: test([one.x0, one.m0 - one.x0], [other.x0, other.m0 - other.x0]),
})

/** Labels of the newest queue against those of older ones. */
export type Drift = LabelsDiffer & { readonly drifted: boolean }

/** Below this p-value in a verdict, the judge or what it judges has changed. */
const DRIFTED = 0.005

type Item = { readonly verdict: 0 | 1; readonly label: { readonly pass: 0 | 1; readonly queue: number } | null }

/** Compares the labels of the newest queue with the older ones. Null with labels of one queue. */
export const driftOf = (cases: readonly Item[]): Drift | null => {
  const labelled = cases.flatMap(({ verdict, label }) =>
    label === null ? [] : [{ group: null, verdict, label: label.pass, queue: label.queue }],
  )
  const newest = labelled.reduce((latest, { queue }) => Math.max(latest, queue), -Infinity)
  const [late, early] = [
    labelled.filter(({ queue }) => queue === newest),
    labelled.filter(({ queue }) => queue < newest),
  ]
  if (early.length === 0) return null
  const found = errsAlike(countLabelled(late), countLabelled(early))
  return { ...found, drifted: Math.min(found.p_passed ?? 1, found.p_failed ?? 1) < DRIFTED }
}
