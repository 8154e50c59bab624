import type { Json } from '../../../domain/run/readers.ts'
import type { Losses } from '../../document/losses.ts'
import type { ImportOptions } from '../../document/import-options.ts'
import { sourceTime } from '../../document/time/source-time.ts'
import { isObject, rowOf } from '../../read/row.ts'
import type { RunHead } from '../importer.ts'

/** Seconds since 1970, which the schema writes as text; null for anything else. */
export const readSeconds = (value: unknown): number | null => {
  if (typeof value === 'number' && Number.isFinite(value)) return value
  return typeof value === 'string' && /^\d{1,15}(?:\.\d{1,9})?$/.test(value) ? Number(value) : null
}

/** Reads what a file says of one evaluation. `others` are evaluations without samples, which have no run. */
export const headOfResult = (
  top: Record<string, Json>,
  name: string,
  others: readonly string[],
  options: ImportOptions,
  losses: Losses,
): RunHead => {
  const results = top['evaluation_results']
  if (Array.isArray(results)) {
    for (const result of results as readonly Json[])
      if (isObject(result) && others.some((other) => other === result['evaluation_name']))
        losses.add('left_out', 'evaluation_results.*', result, 'an evaluation without samples')
    top['evaluation_results'] = results.filter(
      (result: unknown) => isObject(result) && result['evaluation_name'] === name,
    )
  }
  const row = rowOf(top, '')
  const written = row.peek('evaluation_timestamp')
  const path = 'evaluation_timestamp'
  const time = sourceTime(readSeconds(written) ?? written, { ...options, timeZone: 'UTC' }, losses, path, 'seconds')
  if (time !== null) row.take('evaluation_timestamp')
  const library = row.row('eval_library')
  for (const key of ['retrieved_timestamp', 'detailed_evaluation_results', 'evaluation_id'])
    if (row.has(key)) losses.add('left_out', key, row.take(key), 'concerns this file, not the run')
  return {
    formatVersion: row.text('schema_version'),
    suite: name,
    startedAt: time,
    config: row,
    origin: { version: library?.id('version') ?? null },
  }
}
