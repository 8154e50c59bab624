import { dayLabel } from '../../components/charts/scale.ts'
import { plural } from '../../text/format.ts'
import { passVerdict } from '../case/history/test-columns.ts'
import type { HistoryRun } from './use-history.ts'

type Verdict = Pick<HistoryRun, 'status' | 'created_at'>

/** The index of the newest run whose verdict differs from the verdict before it; 0 if none does. Runs are newest first. */
export const lastChange = (runs: readonly Verdict[]): number => {
  const verdicts = runs.flatMap(({ status }, index) => {
    const pass = passVerdict(status)
    return pass === null ? [] : [{ pass, index }]
  })
  return verdicts.find(({ pass }, i) => verdicts[i + 1] !== undefined && verdicts[i + 1]?.pass !== pass)?.index ?? 0
}

/**
 * Since when a case passes or fails, as a sentence without its full stop. Runs are newest first; runs without a verdict
 * are passed over. `hasOlder`: there are older runs than these.
 */
export const verdictSince = (
  runs: readonly Verdict[],
  hasOlder: boolean,
  timeZone: string,
): { readonly text: string; readonly isPass: boolean | null } => {
  const verdicts = runs.flatMap((run) => (passVerdict(run.status) === null ? [] : [run]))
  const [newest] = verdicts
  if (!newest) return { text: 'No verdict in any run', isPass: null }
  const pass = passVerdict(newest.status)
  const word = pass === true ? 'Passing' : 'Failing'
  const end = verdicts.findIndex(({ status }) => passVerdict(status) !== pass)
  const streak = end < 0 ? verdicts : verdicts.slice(0, end)
  const skipped = runs[0] === newest ? '' : '; no verdict in the newest run'
  const first = streak.at(-1) ?? newest
  const text =
    end >= 0
      ? `${word} since ${dayLabel(first.created_at, true, timeZone)} (${plural(streak.length, 'run')})`
      : verdicts.length === 1 && !hasOlder
        ? `${word} in its only run`
        : `${word} in ${hasOlder ? 'the newest' : 'all'} ${plural(streak.length, 'run')}`
  return { text: `${text}${skipped}`, isPass: pass }
}
