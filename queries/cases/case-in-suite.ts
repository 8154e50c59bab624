import { z } from 'zod'
import type { Reader } from '../../storage/storage.ts'
import type { Viewer } from '../access/viewer.ts'
import { readCaseEvidence, withEvidence } from '../evidence/counts.ts'
import { countComments } from '../runs/comments.ts'
import { deletedAsNull, type DocumentReader } from '../runs/documents.ts'
import { listRuns, RunList } from '../runs/run-list.ts'
import { findRun } from '../runs/run.ts'
import { CaseList, findCaseInRun, listCases, readCaseAt } from './cases.ts'
import { CaseHistory, findHistory } from './history.ts'

/** Maximum number of cases of the same test in the run. */
export const MAX_TEST_CASES = 200
/** Maximum numbers of points of the history, and of runs of the suite. */
const [MAX_POINTS, MAX_RUNS] = [100, 20] as const

/**
 * A case as its page first shows it. `test` has the cases of its test in this run, `history` is as in `GET …/history`, and
 * `runs` are the newest runs of the suite. `history` and `runs` are null for a run without a suite. `runs` is null too if
 * only this run has the case. `comments` is the number of comments on the case.
 */
export const CaseInSuite = z
  .object({
    case: z.looseObject({ case_key: z.string() }),
    test: CaseList,
    history: CaseHistory.nullable(),
    runs: RunList.nullable(),
    comments: z.int(),
  })
  .meta({ id: 'CaseInSuite' })
export type CaseInSuite = z.infer<typeof CaseInSuite>

/** The case as JSON text; null for an unknown or hidden one. A large case must be read on a reader thread. */
export const findCaseInSuite = async (
  reader: Reader,
  documents: DocumentReader,
  viewer: Viewer,
  { run_id, case_key }: { readonly run_id: string; readonly case_key: string },
): Promise<string | null> => {
  const run = await reader.read(findRun(viewer, run_id))
  const span = run && (await findCaseInRun(reader, viewer, run_id, case_key))
  if (!span) return null
  const { project, suite } = run
  const [detail, evidence, test, history, comments] = await Promise.all([
    readCaseAt(documents, span).catch(deletedAsNull),
    readCaseEvidence(reader, viewer, run_id, case_key),
    listCases(reader, documents, viewer, run, { test: span.test_id ?? '' }, { limit: MAX_TEST_CASES }),
    project === null || suite === null ? null : findHistory(reader, viewer, { project, suite, case_key }, MAX_POINTS),
    reader.read(countComments(span.run_no, case_key)),
  ])
  // The run was deleted meanwhile.
  if (detail === null || test === null) return null
  const runs =
    history === null || history.points.length < 2
      ? null
      : await listRuns(
          reader,
          viewer,
          { project: history.project, suite: history.suite, cached: 'all' },
          { limit: MAX_RUNS },
        )
  return `{"case":${withEvidence(detail, evidence)},"test":${test},"history":${JSON.stringify(history)},"runs":${runs},"comments":${comments}}`
}
