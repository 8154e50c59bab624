import type { SuiteFlakiness } from '../../../queries/cases/flakiness.ts'

type Flips = Pick<SuiteFlakiness['cases'][number], 'marks' | 'flaky' | 'flips'>

/** Rows of the panel: fewer flaky cases leave room for changed ones. */
const SHOWN = 6
const MIN_CHANGED = 2

/** Whether a mark is a verdict, or verdicts that disagree. */
export const isVerdict = (mark: string): boolean => /[pfe~X]/.test(mark)
export const isPass = (mark: string): boolean => mark === 'p' || mark === 'X'

/** The index of the newest run in which a case changed between passing and failing, oldest first; -1 for none. */
export const lastFlip = (marks: string): number => {
  let last: string | null = null
  let found = -1
  for (const [i, mark] of [...marks].entries()) {
    if (!isVerdict(mark)) continue
    if (mark === '~' || (last !== null && last !== '~' && isPass(mark) !== isPass(last))) found = i
    last = mark
  }
  return found
}

/** The flaky cases, most flips first, and the others that changed, the newest change first, as far as there is room. */
export const splitFlaky = <Row extends Flips>(
  rows: readonly Row[],
): { readonly flaky: Row[]; readonly changed: Row[] } => {
  const [flaky, others] = [rows.filter((row) => row.flaky), rows.filter((row) => !row.flaky)]
  const changed = others.toSorted((a, b) => lastFlip(b.marks) - lastFlip(a.marks) || b.flips - a.flips)
  const first = flaky.slice(0, SHOWN - Math.min(MIN_CHANGED, changed.length))
  return { flaky: first, changed: changed.slice(0, SHOWN - first.length) }
}
