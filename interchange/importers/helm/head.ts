import type { Json } from '../../../domain/run/readers.ts'
import type { timeRange } from '../../document/time/time-range.ts'
import { rowOf } from '../../read/row.ts'
import type { RunHead } from '../importer.ts'
import { textAt } from '../../read/members.ts'

/** Reads what a run specification says; `scenario` is the description in the file next to it, `times` are those of requests. */
export const helmHead = (spec: Record<string, Json>, scenario: Json, times: ReturnType<typeof timeRange>): RunHead => {
  const name = textAt(spec, 'name')
  // The whole name has the arguments of the scenario: it stays in the configuration.
  const row = rowOf(scenario === null ? spec : { ...spec, scenario }, '')
  return {
    suite: name?.split(':', 1)[0] || null,
    description: name,
    startedAt: times.first(),
    finishedAt: times.last(),
    config: row,
  }
}
