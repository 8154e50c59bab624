import type { Look } from '../../read/look.ts'
import { isObject } from '../../read/row.ts'
import type { Claim, Importer } from '../importer.ts'
import { csvRuns } from './csv.ts'
import { linesRun } from './lines.ts'

const CSV_START = /^run_id,project,suite,created_at,case_key,provider,prompt,test,repeat,name,status,/

const detect = ({ kind, keys, head, lines, text }: Look): Claim | null => {
  if (kind === 'text') return CSV_START.test(text) ? { reason: 'the columns of a CSV export' } : null
  if (kind !== 'lines' && kind !== 'json') return null
  // The first line may be longer than what is seen of the file.
  const first = kind === 'lines' ? lines[0] : head
  const run = isObject(first) ? first['run'] : null
  const isExport = keys.size === 1 && isObject(run) && Object.hasOwn(run, 'config_digest')
  return isExport ? { reason: 'a line with the run, as the JSON Lines export begins' } : null
}

const open: Importer['open'] = (source) => (source.look.kind === 'text' ? csvRuns(source) : linesRun(source))

/** Reads the exports of this service again: JSON Lines, which is complete, and CSV. */
export const ersExport: Importer = {
  format: 'ers-export',
  converter: 1,
  reads: 'an export of this service as JSON Lines or CSV',
  detect,
  open,
}
