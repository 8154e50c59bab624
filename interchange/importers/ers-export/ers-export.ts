import type { Look } from '../../read/look.ts'
import { isObject } from '../../read/row.ts'
import type { Claim, Importer } from '../importer.ts'
import { loadOnce } from '../../read/load-once.ts'
import { exportedRuns, fillFromCsv } from './csv.ts'
import { linesRun } from './lines.ts'
import { FIXED_COLUMNS } from '../../exporters/columns.ts'

/** A list of cases has other columns after these. */
const FIRST_COLUMNS = FIXED_COLUMNS.slice(0, FIXED_COLUMNS.indexOf('score'))
const CSV_START = `${FIRST_COLUMNS.join(',')},`

/** The program that wrote our Parquet files, as their footer says. */
const WRITER = 'evaluation-results-service'

const parquetModule = loadOnce(() => import('./parquet.ts'))

const detect = ({ kind, keys, head, lines, text, root, entries }: Look): Claim | null => {
  if (kind === 'parquet')
    return root === WRITER && FIRST_COLUMNS.every((column, index) => entries[index] === column)
      ? { reason: 'a Parquet file of this service' }
      : null
  if (kind === 'text') return text.startsWith(CSV_START) ? { reason: 'the columns of a CSV export' } : null
  if (kind !== 'lines' && kind !== 'json') return null
  // The first line may be longer than what is seen of the file.
  const first = kind === 'lines' ? lines[0] : head
  const run = isObject(first) ? first['run'] : null
  const isExport = keys.size === 1 && isObject(run) && Object.hasOwn(run, 'config_digest')
  return isExport ? { reason: 'a line with the run, as the JSON Lines export begins' } : null
}

const open: Importer['open'] = async function* (source) {
  if (source.look.kind === 'text') yield* exportedRuns(source, fillFromCsv)
  else if (source.look.kind === 'parquet') yield* exportedRuns(source, (await parquetModule()).fillFromParquet)
  else yield* linesRun(source)
}

/** Reads the exports of this service again: JSON Lines, which is complete, CSV and Parquet. */
export const ersExport: Importer = {
  format: 'ers-export',
  converter: 1,
  reads: 'an export of this service as JSON Lines, CSV or Parquet',
  detect,
  open,
}
