import type { RunDocument } from '../../engine/runner/run-document.ts'

/** So many messages are listed: a broken suite may have another one in every case. */
const MAX_MESSAGES = 5

/** A line for each distinct message of the cases with errors, the most frequent first. */
export const errorMessages = ({ cases }: Pick<RunDocument, 'cases'>): readonly string[] => {
  const counts = new Map<string, number>()
  for (const { status, error = 'no message' } of cases)
    if (status === 'error') counts.set(error, (counts.get(error) ?? 0) + 1)
  const sorted = [...counts].sort(([, a], [, b]) => b - a)
  return [
    ...sorted
      .slice(0, MAX_MESSAGES)
      .map(([message, count]) => `${count} ${count === 1 ? 'case' : 'cases'}: ${message}`),
    ...(sorted.length > MAX_MESSAGES ? [`further messages of cases: ${sorted.length - MAX_MESSAGES}`] : []),
  ]
}
