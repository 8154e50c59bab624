import { z } from 'zod'
import { historyKey } from '../../domain/run/history-key.ts'
import { maybeOne, sql } from '../../storage/sql.ts'
import type { Query, Reader } from '../../storage/storage.ts'
import type { Viewer } from '../access/viewer.ts'
import type { DocumentReader } from '../runs/documents.ts'
import { deletedAsNull } from '../runs/documents.ts'
import { listRuns, RunList } from '../runs/run-list.ts'
import { findRun } from '../runs/run.ts'
import type { Run } from '../runs/run.ts'
import { CaseList, findCaseInRun, listCases, readCaseAt } from './cases.ts'
import { CaseHistory, findHistory } from './history.ts'

/** Cases of the same test in the run, points of the history, and runs of the suite, at most. */
const [MAX_TEST_CASES, MAX_POINTS, MAX_RUNS] = [200, 100, 20] as const

/**
 * A case as its page first shows it. `test` has the cases of its test in this run, `history` is as in `GET …/history`, and
 * `runs` are the newest runs of the suite. Without a suite, or if only this run has the case, both are null or `runs` is.
 */
export const CaseInSuite = z
  .object({
    case: z.looseObject({ case_key: z.string() }),
    test: CaseList,
    history: CaseHistory.nullable(),
    runs: RunList.nullable(),
  })
  .meta({ id: 'CaseInSuite' })
export type CaseInSuite = z.infer<typeof CaseInSuite>

const Test = z.object({ test_id: z.string().nullable() })

const findTest = ({ run_no, project, suite, created_at }: Run, case_key: string): Query<z.infer<typeof Test> | null> =>
  maybeOne(sql.type(Test)`
    SELECT test_id FROM cases
    WHERE history_key = ${historyKey(project, suite, case_key)} AND created_at = ${created_at} AND run_no = ${run_no} AND case_key = ${case_key}`)

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
  const [detail, test, history] = await Promise.all([
    readCaseAt(documents, span).catch(deletedAsNull),
    listTest(reader, documents, viewer, run, case_key),
    project === null || suite === null ? null : findHistory(reader, viewer, { project, suite, case_key }, MAX_POINTS),
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
  return `{"case":${detail},"test":${test},"history":${JSON.stringify(history)},"runs":${runs}}`
}

const listTest = async (
  reader: Reader,
  documents: DocumentReader,
  viewer: Viewer,
  run: Run,
  case_key: string,
): Promise<string | null> => {
  const found = await reader.read(findTest(run, case_key))
  if (!found) return null
  return listCases(reader, documents, viewer, run, { test: found.test_id ?? '' }, { limit: MAX_TEST_CASES })
}
