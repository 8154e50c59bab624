import type { AssertionResult } from './assertion.ts'

type Scored = Pick<AssertionResult, 'status' | 'score' | 'weight'>

const isEvaluated = ({ status }: Scored) => status === 'pass' || status === 'fail'

/** What was earned, and what could have been. An assertion that could not be evaluated earned nothing. */
const totals = (results: readonly Scored[]) => {
  let weighted = 0
  let weights = 0
  for (const result of results) {
    if (result.status === 'skipped') continue
    if (isEvaluated(result)) weighted += result.weight * result.score
    weights += result.weight
  }
  return { weighted, weights }
}

/**
 * The score of a case, 0..1: the weighted mean over its assertions without those that were skipped. One that could not be
 * evaluated counts as 0. It is 0 if none was evaluated, and 1 if there are no assertions or all that count have the
 * weight 0.
 */
export const caseScore = (results: readonly Scored[]): number => {
  if (results.length === 0) return 1
  if (!results.some(isEvaluated)) return 0
  const { weighted, weights } = totals(results)
  if (weights > 0) return weighted / weights
  return results.some(({ status }) => status === 'error') ? 0 : 1
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
  const best = (weighted + remainingWeight) / (weights + remainingWeight)
  const worst = weighted / (weights + remainingWeight)
  return best >= threshold && worst < threshold
}
