import { sha256OfStream } from '../../document/identity.ts'
import type { ImportOptions } from '../../document/import-options.ts'
import type { Losses } from '../../document/losses.ts'
import { timeRange } from '../../document/time/time-range.ts'
import { jsonElements } from '../../read/json/json-elements.ts'
import type { Look } from '../../read/look.ts'
import { isObject, rowOf } from '../../read/row.ts'
import type { Row } from '../../read/row.ts'
import type { SourceFile } from '../../read/source-file.ts'
import type { Claim, Importer, SourceRun } from '../importer.ts'
import { caseOf } from './cases.ts'
import { csvRows } from './csv-rows.ts'

const CSV_START = /^\ufeff?example_id,repetition_number,/

const detect = ({ kind, keys, head, text }: Look): Claim | null => {
  if (kind === 'text' && CSV_START.test(text)) return { reason: 'columns example_id, repetition_number' }
  if (kind !== 'json' || !Array.isArray(head)) return null
  return ['example_id', 'repetition_number', 'annotations'].every((key) => keys.has(key))
    ? { reason: 'keys example_id, repetition_number, annotations' }
    : null
}

const rowsOf = (file: SourceFile, isCsv: boolean, losses: Losses): AsyncIterable<Row> =>
  isCsv ? csvRows(file, losses) : jsonRows(file, losses)

const jsonRows = async function* (file: SourceFile, losses: Losses): AsyncGenerator<Row> {
  for await (const { value } of jsonElements(file.bytes(), { arrays: [[]] }, losses)) {
    if (isObject(value)) yield rowOf(value, '*')
    else losses.add('left_out', '*', value, 'not an object')
  }
}

const open: Importer['open'] = async function* ({ file, look }, options: ImportOptions): AsyncGenerator<SourceRun> {
  const stamp = await sha256OfStream(file.bytes())
  let times = timeRange()
  yield {
    part: null,
    identity: stamp,
    stamp,
    timeMs: null,
    cases: async function* (losses) {
      times = timeRange()
      for await (const row of rowsOf(file, look.kind === 'text', losses)) yield caseOf(row, times, options, losses)
    },
    // The export does not name the experiment.
    head: () => ({
      suite: file.name.replace(/\.(?:json|csv)$/i, ''),
      startedAt: times.first(),
      finishedAt: times.last(),
    }),
  }
}

/** Reads experiments of Phoenix (Arize), as its download gives them: JSON or CSV. */
export const phoenix: Importer = {
  format: 'phoenix',
  converter: 1,
  reads: 'an experiment of Phoenix, as its download gives it: JSON or CSV',
  detect,
  open,
}
