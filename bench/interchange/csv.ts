import { createReadStream } from 'node:fs'
import { join } from 'node:path'
import type { Print } from '../measures.ts'
import { csvRecords } from '../../interchange/read/rows/csv.ts'
import { convertGenerated } from './convert-generated.ts'

const ROWS = 60_000
const COLUMNS = 20

const map = (by: string) => `
format: csv
run: { by: [${by}], started_at: { const: 2026-01-01T00:00:00Z } }
case: { provider: { column: c1 }, test: { column: id } }
status: { column: ok }
output: { column: c2 }
`

const rows = function* () {
  yield `id,day,ok,${Array.from({ length: COLUMNS - 3 }, (_, n) => `c${n + 1}`).join(',')}\n`
  for (let n = 0; n < ROWS; n++) {
    const rest = Array.from({ length: COLUMNS - 3 }, (_, c) =>
      c % 5 === 1 ? `"text ${n}, with ""quotes"""` : `value ${c}`,
    )
    yield `case ${n},day ${n % 4},${n % 3 !== 0},${rest.join(',')}\n`
  }
}

/** Reads and converts a CSV file of 60,000 rows with 20 columns: as one run, and as four whose rows are mixed. */
export const csvTable = async (print: Print): Promise<void> => {
  const table = { path: (folder: string) => join(folder, 'table.csv'), parts: rows, format: 'table' }
  const unit = { name: 'rows', count: ROWS }
  await convertGenerated(print, {
    ...{ ...table, unit, name: 'CSV, records alone', options: {} },
    read: async (path) => {
      for await (const _ of csvRecords(createReadStream(path, { highWaterMark: 256 * 1024 }))) continue
    },
  })
  await convertGenerated(print, { ...table, unit, name: 'CSV, one run', options: { map: map('') } })
  await convertGenerated(print, { ...table, unit, name: 'CSV, four runs mixed', options: { map: map('day') } })
}
