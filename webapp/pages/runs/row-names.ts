import type { RunListItem } from '../../../queries/runs/run-list.ts'
import { MINUTE, runName, SECOND, setName, untilOf } from '../../runs/run-name.ts'
import { shortId } from '../../text/format.ts'
import { visibleLine } from '../../text/visible-text.ts'
import { provenanceOf } from './provenance.ts'

type Named = Pick<
  RunListItem,
  | 'id'
  | 'project'
  | 'suite'
  | 'note'
  | 'created_at'
  | 'git_branch'
  | 'git_commit'
  | 'git_dirty'
  | 'actor'
  | 'uploaded_by'
  | 'ci_provider'
  | 'ci_run_url'
>

/** What runs of one name can differ in, the first that does so is added: commit, minute, second. */
const MARKS: ReadonlyArray<(run: Named) => string> = [
  (run) => provenanceOf(run).commit ?? '',
  ({ created_at }) => untilOf(created_at, MINUTE),
  ({ created_at }) => untilOf(created_at, SECOND),
]

/** What is added to the name of each run in a list, so that no two runs of a suite read the same; empty for most. */
export const nameMarks = (runs: readonly Named[]): ReadonlyMap<string, string> => {
  const marks = new Map<string, string>()
  for (const alike of Map.groupBy(runs, (run) => JSON.stringify([setName(run), runName(run)])).values()) {
    if (alike.length === 1) continue
    const mark = MARKS.find((of) => new Set(alike.map(of)).size === alike.length)
    for (const run of alike) marks.set(run.id, mark?.(run) || visibleLine(shortId(run.id)))
  }
  return marks
}
