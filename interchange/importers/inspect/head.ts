import type { Losses } from '../../document/losses.ts'
import { readTime } from '../../document/time/times.ts'
import type { JsonObject, Row } from '../../read/row.ts'
import type { RunHead } from '../importer.ts'
import type { Deciding } from './scores.ts'
import { objectAt, objectsAt, textAt } from '../../read/members.ts'

/** What is not the same in two runs of one configuration. */
const TOTALS = ['results', 'stats', 'reductions', 'logging'] as const

/** Reads what a log says of the whole run. `lastMs` is when its last sample was completed. */
export const inspectHead = (top: Row, lastSampleTime: string | null, isCutOff: boolean, losses: Losses): RunHead => {
  const evaluation = top.row('eval')
  const stats = top.row('stats')
  const started = readTime(stats?.text('started_at') ?? '')
  const created = readTime(evaluation?.text('created') ?? '')
  const status = top.text('status') ?? (isCutOff ? 'started' : 'success')
  const completed = readTime(stats?.text('completed_at') ?? '') ?? readTime(lastSampleTime ?? '')
  const revision = evaluation?.row('revision') ?? null
  const error = top.row('error')
  const message = error?.text('message') ?? null
  const tags = [...(evaluation?.texts('tags') ?? []), ...(top.texts('tags') ?? [])]
  if (top.boolean('invalidated') === true) tags.push('invalidated')
  if (status !== 'success') tags.push(`status:${status}`)
  if (error?.has('traceback_ansi'))
    losses.add('left_out', 'error.traceback_ansi', error.take('traceback_ansi'), 'the trace again, in colours')
  for (const key of TOTALS) if (top.has(key)) losses.add('left_out', key, top.take(key), 'totals of the samples')
  // These differ in each run: in the configuration, they would make two runs of one configuration unequal.
  for (const key of ['run_id', 'task_id'])
    if (evaluation?.has(key)) losses.add('left_out', `eval.${key}`, evaluation.take(key), 'names this run alone')
  evaluation?.take('eval_id')
  return {
    formatVersion: top.id('version') ?? '1',
    suite: inspectSuite(evaluation),
    startedAt: started ?? created,
    finishedAt: completed ?? created,
    config: top,
    git: { commit: revision?.text('commit') ?? null, dirty: revision?.boolean('dirty') ?? null },
    origin: { version: evaluation?.row('packages')?.text('inspect_ai') ?? null, note: message },
    tags,
  }
}

/** The name of the task, without the package or the folder it is in; with one, the whole name stays in the row. */
const inspectSuite = (evaluation: Row | null): string | null => {
  const task = evaluation?.peek('task')
  if (typeof task !== 'string') return null
  const name = task.replace(/^.*[/@]/, '')
  return name === task || name === '' ? (evaluation?.text('task') ?? null) : name
}

/** Which score decides: that of the headline, else the first one of the results, else the first scorer of the task. */
export const decidingOf = (header: JsonObject): Deciding => {
  const results = objectAt(header, 'results')
  const headline = objectAt(results, 'headline')
  const scorer = textAt(headline, 'scorer')
  if (scorer !== null) return { scorer, key: textAt(headline, 'score') }
  const [first] = objectsAt(results, 'scores')
  const [declared] = objectsAt(objectAt(header, 'eval'), 'scorers')
  const single = objectAt(results, 'scorer')
  return {
    scorer: textAt(first, 'scorer') ?? textAt(single, 'name') ?? textAt(declared, 'name')?.replace(/^.*\//, '') ?? null,
    key: null,
  }
}
