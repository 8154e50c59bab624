import type { Json } from '../../../domain/run/readers.ts'
import { timeOfMs } from '../../document/time/times.ts'
import { rowOf } from '../../read/row.ts'
import type { RunHead } from '../importer.ts'

/** Seconds since 1970 of the first and the last request; null without any. */
export type RequestTimes = { readonly first: number; readonly last: number } | null

/** Reads what a run specification says; `scenario` is the description in the file next to it. */
export const helmHead = (spec: Record<string, Json>, scenario: Json, times: RequestTimes): RunHead => {
  const name = typeof spec['name'] === 'string' ? spec['name'] : null
  const suite = name?.split(':', 1)[0] ?? null
  // The whole name has the arguments of the scenario: it stays in the configuration.
  const row = rowOf(scenario === null ? spec : { ...spec, scenario }, '')
  return {
    suite: suite === '' ? null : suite,
    description: name,
    startedAt: times === null ? null : timeOfMs(times.first * 1000),
    finishedAt: times === null ? null : timeOfMs(times.last * 1000),
    config: row,
  }
}
