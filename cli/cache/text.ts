import { counted } from '../../domain/plain/counted.ts'
import { printable } from '../../domain/text/printable.ts'
import type { CacheTotals, ListedItem } from './target.ts'

/**
 * The totals as one line, then a line of lookups if they are counted, and one of unindexed entries if there are any.
 */
export const totalsLine = ({
  entries,
  total_bytes,
  hits,
  misses,
  unindexed = 0,
  oldest_entry_at,
}: CacheTotals): string => {
  const lines = [
    `${entries} entries, ${(total_bytes / 2 ** 20).toFixed(2)} MiB${oldest_entry_at === null ? '' : `, since ${oldest_entry_at}`}`,
  ]
  if (hits !== undefined && misses !== undefined)
    lines.push(`${counted(hits, 'hit')}, ${misses} ${misses === 1 ? 'miss' : 'misses'}`)
  if (unindexed > 0) lines.push(`${unindexed} not yet indexed`)
  return lines.join('\n')
}

const MAX_PREVIEW_CHARACTERS = 80

/** An entry as one line: time, key, kind, model, bytes, USD, request, output; a dash for an unknown value. */
export const entryLine = ({
  created_at,
  key,
  kind,
  model,
  size,
  cost_usd,
  request_summary,
  output_preview,
}: ListedItem): string =>
  [
    created_at,
    key,
    kind,
    model,
    String(size),
    cost_usd === null ? null : String(cost_usd),
    request_summary,
    output_preview === null ? null : [...output_preview].slice(0, MAX_PREVIEW_CHARACTERS).join(''),
  ]
    .map((field) => printable(field ?? '-'))
    .join('\t')
