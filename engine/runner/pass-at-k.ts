import type { CaseDocument } from './run-document.ts'

/**
 * The unbiased estimate of pass@k of one cell, 1 - C(n-c, k) / C(n, k), for `trials` n and `passes` c (M. Chen et al.,
 * Evaluating Large Language Models Trained on Code, arXiv:2107.03374, 2021). k must be at most n.
 */
export const passAtK = (trials: number, passes: number, k: number): number => {
  if (trials - passes < k) return 1
  let allFail = 1
  // The product of the quotients of the two binomials: nothing overflows.
  for (let index = 0; index < k; index++) allFail *= (trials - passes - index) / (trials - index)
  return 1 - allFail
}

/**
 * pass@k of a run: the mean over its cells, which are counted without their repetition. Null if no cell has more than
 * one trial, or a cell has fewer than k. A case passes with status `pass` or `xpass`.
 */
export const runPassAtK = (cases: ReadonlyArray<Pick<CaseDocument, 'cell' | 'status'>>, k = 1): number | null => {
  const cells = new Map<string, { trials: number; passes: number }>()
  for (const { cell, status } of cases) {
    const key = JSON.stringify([cell.provider_id, cell.prompt_id ?? null, cell.test_id])
    const seen = cells.get(key) ?? { trials: 0, passes: 0 }
    cells.set(key, {
      trials: seen.trials + 1,
      passes: seen.passes + (status === 'pass' || status === 'xpass' ? 1 : 0),
    })
  }
  const counts = [...cells.values()]
  if (!counts.some(({ trials }) => trials > 1) || counts.some(({ trials }) => trials < k)) return null
  return counts.reduce((sum, { trials, passes }) => sum + passAtK(trials, passes, k), 0) / counts.length
}
