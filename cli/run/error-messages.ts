import { counted } from '../../domain/plain/counted.ts'
import type { RunDocument } from '../../engine/runner/run-document.ts'

/** The most messages that are listed: a broken suite may have another one in every case. */
const MAX_MESSAGES = 5

/** The hex digits of a cache key, alone or as the path of a file. */
const KEY = /(?:[0-9a-f]{2}[/\\])?[0-9a-f]{64}/g

/**
 * A line for each distinct message of the cases with errors, the most frequent first. Messages that differ only in a
 * cache key are one; the first of them is shown.
 */
export const errorMessages = ({ cases }: Pick<RunDocument, 'cases'>): readonly string[] => {
  const found = new Map<string, { readonly message: string; count: number }>()
  for (const { status, error: message = 'no message' } of cases) {
    if (status !== 'error') continue
    const kind = message.replace(KEY, '')
    const known = found.get(kind)
    if (known === undefined) found.set(kind, { message, count: 1 })
    else known.count++
  }
  const sorted = [...found.values()].sort((a, b) => b.count - a.count)
  return [
    ...sorted.slice(0, MAX_MESSAGES).map(({ message, count }) => `${counted(count, 'case')}: ${message}`),
    ...(sorted.length > MAX_MESSAGES ? [`further messages of cases: ${sorted.length - MAX_MESSAGES}`] : []),
  ]
}
