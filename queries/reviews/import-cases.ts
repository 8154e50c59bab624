import { z } from 'zod'
import type { QueueTarget } from '../../domain/review/final.ts'
import type { QueueItem, QueueRun } from '../../domain/review/queue.ts'
import { any, sql } from '../../storage/sql.ts'
import type { Reader } from '../../storage/storage.ts'
import type { Viewer } from '../access/viewer.ts'
import { deletedAsNull, type DocumentReader } from '../runs/documents.ts'
import { findRun } from '../runs/run.ts'
import type { Suite } from '../sets/baselines.ts'
import { MAX_COMPARED_CASES, readSpans } from '../statistics/outcomes.ts'
import { populationReader } from './sample.ts'

// Which case of a run a label of another tool is about.

export type ImportCasesRequest = Suite & {
  readonly run_id: string
  readonly target: QueueTarget
  readonly metric: string | null
  /** What names a case: its key, its test, or a variable of it. */
  readonly match: string
  /** The names of cases in the file. */
  readonly keys: readonly string[]
}

/** Why a name leads to no item. */
export type NoItem = 'unmatched' | 'ambiguous' | 'not_judged'

/** The items that names lead to, in the order of the names, and the runs that the items are of. */
export type ImportCases = {
  readonly problem: null
  readonly runs: readonly QueueRun[]
  readonly items: ReadonlyArray<QueueItem | NoItem>
}
/** Why there is none: a run that the viewer cannot see, or what is wrong with the request. */
export type NoImportCases = { readonly problem: 'run not found' | 'unprocessable'; readonly message: string }

const Row = z.object({ n: z.number(), case_key: z.string(), test_id: z.string().nullable() })

type Members = Readonly<Record<string, unknown>>

/** A variable as text; null for what names nothing. */
const nameOf = (value: unknown): string | null =>
  typeof value === 'string' ? value : typeof value === 'number' ? String(value) : null

/** The name of each case, by its number: of a variable of the test, or else of what a tool recorded with the case. */
const readNames = async (
  reader: Reader,
  documents: DocumentReader,
  run_no: number,
  match: string,
): Promise<ReadonlyMap<number, string>> => {
  const names = new Map<number, string>()
  if (match === 'case_key' || match === 'test_id') {
    const rows = await reader.read(
      any(
        sql.type(
          Row,
        )`SELECT cases.n, cases.case_key, cases.test_id FROM cases WHERE cases.run_no = ${run_no} ORDER BY cases.n`,
      ),
    )
    for (const { n, [match]: name } of rows) if (name !== null) names.set(n, name)
    return names
  }
  for (const { n, document_offset, document_length } of await readSpans(reader, run_no)) {
    const slice = await documents.slice(run_no, document_offset, document_length)
    // Safe: the document was checked when it was uploaded.
    const { vars, raw } = JSON.parse(slice.toString('utf8')) as {
      readonly vars?: Members | null
      readonly raw?: Members | null
    }
    const name = nameOf(vars?.[match] ?? raw?.[match])
    if (name !== null) names.set(n, name)
  }
  return names
}

/** Finds the cases of a run that labels of another tool name. */
export const findImportCases = async (
  reader: Reader,
  documents: DocumentReader,
  viewer: Viewer,
  { project, suite, run_id, target, metric, match, keys }: ImportCasesRequest,
): Promise<ImportCases | NoImportCases> => {
  const run = await reader.read(findRun(viewer, run_id))
  if (run?.project !== project || run.suite !== suite) return { problem: 'run not found', message: run_id }
  if (run.stored_cases > MAX_COMPARED_CASES)
    return {
      problem: 'unprocessable',
      message: `run_id: the run has ${run.stored_cases} cases; labels are imported for at most ${MAX_COMPARED_CASES}`,
    }
  const populationsOf = await populationReader(reader, [run], { withOutputs: false })
  const populations = await populationsOf(run, target === 'metric' ? metric : null)
  if (populations.length === 0)
    return { problem: 'unprocessable', message: `metric: no judge decided ${metric} in this run` }
  const names = await readNames(reader, documents, run.run_no, match).catch(deletedAsNull)
  if (names === null) return { problem: 'run not found', message: run_id }
  const places = new Map<string, number[]>()
  for (const [n, name] of names) places.set(name, [...(places.get(name) ?? []), n])
  const items = new Map<number, QueueItem>()
  for (const [index, { candidates }] of populations.entries())
    for (const { case_n, verdict, criterion } of candidates)
      if (!items.has(case_n)) items.set(case_n, [index, case_n, verdict, criterion])
  const itemOf = (key: string): QueueItem | NoItem => {
    const [case_n, ...others] = places.get(key) ?? []
    if (case_n === undefined) return 'unmatched'
    return others.length > 0 ? 'ambiguous' : (items.get(case_n) ?? 'not_judged')
  }
  return { problem: null, runs: populations.map((population) => population.run), items: keys.map(itemOf) }
}
