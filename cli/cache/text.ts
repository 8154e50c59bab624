import type { CacheTotals, ListedItem } from './target.ts'

/** The totals as one line, and a second one of lookups where they are counted. */
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
  if (hits !== undefined && misses !== undefined) lines.push(`${hits} hits, ${misses} misses`)
  if (unindexed > 0) lines.push(`${unindexed} not yet indexed`)
  return lines.join('\n')
}

const PREVIEW = 80

/** An entry as one line: time, key, kind, model, bytes, USD, request, output; a dash for what is not known. */
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
    output_preview === null ? null : [...output_preview].slice(0, PREVIEW).join(''),
  ]
    .map((field) => printable(field ?? '-'))
    .join('\t')

/**
 * Text that neither breaks a line nor commands a terminal: such characters as JSON escapes them, so that JSON stays the
 * same JSON.
 */
export const printable = (text: string): string =>
  text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (each) =>
    each.replace(/[^]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`),
  )
