import { readDatabase } from '../../read/sqlite.ts'
import { rowOf } from '../../read/row.ts'
import { SourceRefused } from '../../document/source-refused.ts'
import { MAX_ELEMENT_BYTES } from '../../read/json/json-elements.ts'
import type { Source, SourceRun } from '../importer.ts'
import { evaluationReader, type StoredEvaluation } from './database-evaluations.ts'
import { rowReader, type RowReader } from './database-rows.ts'
import { promptfooRun } from './evaluation.ts'
import { databaseTraces } from './database-traces.ts'
import { promptfooHead } from './head.ts'
import type { Traces } from './traces.ts'
import { NO_LOSSES } from '../../document/losses.ts'
import type { Json } from '../../../domain/run/readers.ts'

/** The tables that are read. */
const TABLES = [
  'evals',
  'eval_results',
  'tags',
  'evals_to_tags',
  'traces',
  'spans',
  'blob_references',
  'evals_to_datasets',
  'model_audits',
] as const

/**
 * Reads the database of promptfoo: a run for each evaluation, in the order of their ids. Each evaluation is read in one
 * transaction, so that it is as of one moment also while promptfoo writes.
 */
export const databaseFile = ({ file, look }: Source, hasEvidence: boolean): AsyncIterable<SourceRun> =>
  readDatabase(file, TABLES, function* (database) {
    const rows = rowReader(database, look.tables)
    const evaluations = evaluationReader(database, look.tables, rows)
    for (const id of evaluations.ids()) {
      database.exec('BEGIN')
      const found = evaluations.read(id)
      // Deleted since the ids were read.
      if (found !== null) {
        const traces = hasEvidence ? databaseTraces(database, look.tables, id) : null
        yield storedRun(found, rows, traces, hasEvidence)
      }
      database.exec('COMMIT')
    }
  })

const storedRun = (
  found: StoredEvaluation,
  rows: RowReader,
  traces: Traces | null,
  hasEvidence: boolean,
): SourceRun => {
  const { id, source } = found
  const checkSize = () => {
    if (source.largestBytes > MAX_ELEMENT_BYTES)
      throw new SourceRefused(`a row of ${source.table} is larger than ${MAX_ELEMENT_BYTES} bytes`)
  }
  const run = promptfooRun({
    part: id,
    hasEvidence,
    traces,
    identity: id,
    stamp: found.stamp,
    timeMs: found.createdAtMs,
    path: `${source.table}.*`,
    rows: (losses) => {
      checkSize()
      return rows.rows(id, source.table, losses)
    },
    testRows: () => {
      checkSize()
      return rows.testRows(id, source.table)
    },
    config: () => found.top['config'] ?? null,
    head: (losses, promptTexts) => {
      for (const { table, note } of found.leftOut)
        if (table !== 'traces' || traces === null) losses.addBytes('left_out', table, 0, note)
      const { createdAtMs: startedAtMs, tags, isRedTeam } = found
      return promptfooHead(rowOf(structuredClone(found.top), ''), losses, promptTexts, { startedAtMs, tags, isRedTeam })
    },
  })
  // The file has other evaluations too: of this one its rows are kept, after a line about it.
  const lines = function* (): Generator<Json> {
    yield found.top
    for (const row of rows.rows(id, source.table, NO_LOSSES)) yield row
  }
  return { ...run, lines }
}
