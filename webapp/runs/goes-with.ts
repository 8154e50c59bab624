import type { RunInSuite } from '../../queries/runs/run-in-suite.ts'
import { plural } from '../text/format.ts'

/** What people wrote about runs, which is deleted with them: `3 comments, an added title and 2 added tags`. Null if there is nothing. */
export const goesWith = (runs: readonly Pick<RunInSuite, 'comments' | 'added'>[]): string | null => {
  const sum = (count: (run: (typeof runs)[number]) => number): number =>
    runs.reduce((total, run) => total + count(run), 0)
  const parts = (
    [
      ['comment', sum(({ comments }) => comments)],
      ['added title', sum(({ added }) => (added?.title ? 1 : 0))],
      ['added note', sum(({ added }) => (added?.note ? 1 : 0))],
      ['added tag', sum(({ added }) => added?.tags.length ?? 0)],
    ] as const
  ).flatMap(([what, count]) => (count === 0 ? [] : [plural(count, what)]))
  const last = parts.pop()
  return last === undefined ? null : parts.length === 0 ? last : `${parts.join(', ')} and ${last}`
}
