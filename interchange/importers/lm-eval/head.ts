import type { Json } from '../../../domain/run/readers.ts'
import type { Losses } from '../../document/losses.ts'
import type { ImportOptions } from '../../document/import-options.ts'
import { sourceTime } from '../../document/time/source-time.ts'
import { timeOfMs } from '../../document/time/times.ts'
import { rowOf } from '../../read/row.ts'
import type { RunHead } from '../importer.ts'
import { objectAt, textAt } from '../../read/members.ts'

type Members = Readonly<Record<string, unknown>>

/** The model: by its name, or by its arguments in older results. */
export const lmEvalModel = (top: Members): string | null =>
  textAt(top, 'model_name') ?? textAt(objectAt(top, 'config'), 'model_args') ?? textAt(objectAt(top, 'config'), 'model')

/** Seconds, which are written as a number or as text. */
export const readSeconds = (value: unknown): number | null => {
  const seconds = typeof value === 'string' && value !== '' ? Number(value) : value
  return typeof seconds === 'number' && Number.isFinite(seconds) ? seconds : null
}

/** Members that have one entry a task. */
const BY_TASK = [
  'results',
  'configs',
  'versions',
  'n-shot',
  'n-samples',
  'higher_is_better',
  'group_subtasks',
  'task_hashes',
] as const

/**
 * Reads what the results say of one task. Entries of other tasks are removed from `top`; the runs of those tasks have them.
 * Tasks in `missing` have no samples and so no run: their entries are recorded as left out. Entries of groups stay.
 */
export const headOfTask = (
  top: Record<string, Json>,
  task: string,
  missing: readonly string[],
  options: ImportOptions,
  losses: Losses,
): RunHead => {
  const tasks = new Set(Object.keys(objectAt(top, 'configs') ?? objectAt(top, 'versions') ?? {}))
  for (const key of BY_TASK) {
    const entries = objectAt(top, key)
    for (const name of Object.keys(entries ?? {})) {
      if (entries === null || name === task || !tasks.has(name)) continue
      if (missing.includes(name)) losses.add('left_out', `${key}.${name}`, entries[name], 'a task without samples')
      delete entries[name]
    }
  }
  const row = rowOf(top, '')
  const started = sourceTime(readSeconds(row.peek('date')), options, losses, 'date', 'seconds')
  const duration = readSeconds(row.peek('total_evaluation_time_seconds'))
  if (started !== null) row.take('date')
  const seconds = 'total_evaluation_time_seconds'
  if (started !== null && duration !== null) losses.add('changed', seconds, row.take(seconds), 'the end of the run')
  if (row.has('pretty_env_info')) losses.add('left_out', 'pretty_env_info', row.take('pretty_env_info'))
  for (const key of ['start_time', 'end_time', 'total_evaluation_time_seconds'])
    if (row.has(key)) losses.add('left_out', key, row.take(key), 'a clock of the machine; the times come from `date`')
  return {
    suite: task,
    startedAt: started,
    finishedAt: started === null || duration === null ? null : timeOfMs(Date.parse(started) + duration * 1000),
    config: row,
    origin: { version: row.text('lm_eval_version') },
  }
}
