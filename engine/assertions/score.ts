import type { AssertionResult } from './assertion.ts'

type Scored = Pick<AssertionResult, 'status' | 'score' | 'weight'>

const isEvaluated = ({ status }: Scored) => status === 'pass' || status === 'fail'

const mean = (weighted: number, weights: number): number => (weights > 0 ? weighted / weights : 1)

const totals = (results: readonly Scored[]) => {
  let weighted = 0
  let weights = 0
  for (const result of results) {
    if (!isEvaluated(result)) continue
    weighted += result.weight * result.score
    weights += result.weight
  }
  return { weighted, weights }
}

/** The weighted mean over the evaluated assertions: 1 when there are none or their weights sum to zero or less. */
export const caseScore = (results: readonly Scored[]): number => {
  const { weighted, weights } = totals(results)
  return mean(weighted, weights)
}

/** Whether a case passes: by its score where it has a threshold, else when every evaluated assertion passed. */
export const casePasses = (results: readonly Scored[], threshold: number | undefined): boolean =>
  threshold === undefined
    ? results.every((result) => !isEvaluated(result) || result.status === 'pass')
    : caseScore(results) >= threshold

/**
 * Whether assertions of this summed weight can still change the outcome of a case. Without a threshold: only while
 * everything so far passed. With one: only if the score may end on both sides of it.
 */
export const isUndecided = (
  results: readonly Scored[],
  remainingWeight: number,
  threshold: number | undefined,
): boolean => {
  if (remainingWeight <= 0) return false
  if (threshold === undefined) return results.every(({ status }) => status === 'pass')
  const { weighted, weights } = totals(results)
  const best = mean(weighted + remainingWeight, weights + remainingWeight)
  const worst = mean(weighted, weights + remainingWeight)
  return best >= threshold && worst < threshold
}
