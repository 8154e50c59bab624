import type { Json } from '../../../domain/run/readers.ts'
import type { AssertionDraft, CaseDraft, Usage } from '../../document/case/case-draft.ts'
import { takeFailure } from '../../document/case/failure.ts'
import { takeScore } from '../../document/case/verdicts.ts'
import type { Losses } from '../../document/losses.ts'
import { truthScore } from '../../document/case/scores.ts'
import { statedScale } from '../../document/case/stated-scale.ts'
import { readTimeMs } from '../../document/time/times.ts'
import type { JsonRecord } from '../../read/rows/records.ts'
import { isObject, rowOf, type Row } from '../../read/row.ts'
import { promptUsage } from '../../document/case/token-usage.ts'
import { exampleVars } from '../../document/case/example-vars.ts'

export type FoundCase = { readonly draft: CaseDraft; readonly dataset: string | null; readonly revision: string | null }

/** Reads a run of an example, with its feedback. */
export const langsmithCase = (
  row: Row,
  feedback: readonly JsonRecord[],
  example: JsonRecord | null,
  losses: Losses,
): FoundCase => {
  const metadata = row.row('extra')?.row('metadata') ?? null
  const sample = example === null ? null : rowOf(example, '(examples)')
  const [inputs, outputs, error] = [row.take('inputs'), row.take('outputs'), takeFailure(row)]
  const expected = sample?.take('outputs') ?? null
  // The inputs of the example are those of the run.
  if (JSON.stringify(sample?.peek('inputs')) === JSON.stringify(inputs)) sample?.take('inputs')
  const test = row.text('reference_example_id')
  if (sample?.peek('id') === test) sample?.take('id')
  const provider = metadata?.text('ls_model_name') ?? null
  const draft: CaseDraft = {
    provider,
    test: test ?? { inputs },
    vars: exampleVars(inputs, expected),
    failure: langsmithFailure(row, error),
    asserts: feedback.length > 0 ? feedback.map((item) => langsmithAssertion(item, losses)) : averagesOf(row),
    output: langsmithOutput(outputs),
    usage: langsmithUsage(row),
    costUsd: langsmithCost(row),
    latencyMs: langsmithLatency(row),
    tags: row.texts('tags') ?? [],
    raw: sample === null || sample.rest() === null ? {} : { example: sample.rest()! },
    rest: row,
  }
  return {
    draft,
    dataset: sample?.peekText('dataset_id') ?? null,
    revision: metadata?.peekText('revision_id') ?? null,
  }
}

const langsmithFailure = (row: Row, error: CaseDraft['failure']): NonNullable<CaseDraft['failure']> | null => {
  if (error) {
    const [message = error.message, ...trace] = error.message.split('\n')
    return { ...(trace.length > 0 && { trace: error.message }), ...error, message }
  }
  return row.peek('status') === 'error' ? { message: 'the run ended with an error' } : null
}

/** The value of a single output, else the object. */
const langsmithOutput = (outputs: Json): Json => {
  if (!isObject(outputs)) return outputs
  const keys = Object.keys(outputs)
  return keys.length === 1 && keys[0] === 'output' ? outputs['output']! : outputs
}

const langsmithUsage = (row: Row): Usage | null => {
  const [input, output] = [row.number('prompt_tokens'), row.number('completion_tokens')]
  return promptUsage(input, output, row.row('prompt_token_details')?.number('cache_read'))
}

/** The cost is a number as text. */
const langsmithCost = (row: Row): number | null => {
  const value = row.peek('total_cost')
  const cost = typeof value === 'number' || (typeof value === 'string' && value !== '') ? Number(value) : Number.NaN
  if (!Number.isFinite(cost)) return null
  row.take('total_cost')
  return cost
}

const langsmithLatency = (row: Row): number | null => {
  const ms = readTimeMs(row.peekText('end_time')) - readTimeMs(row.peekText('start_time'))
  return Number.isNaN(ms) ? null : ms
}

const langsmithAssertion = (item: JsonRecord, losses: Losses): AssertionDraft => {
  const row = rowOf(item, '(feedback)')
  const score = row.boolean('score')
  const number = score === null ? takeScore(row, 'score', losses) : null
  const isModel = row.row('feedback_source')?.peek('type') === 'model'
  const draft = { name: row.text('key'), reason: row.text('comment') }
  const scale = { ...statedScale(row.peek('feedback_config')), ...statedScale(item) }
  // The run is the case itself.
  for (const key of ['run_id', 'trace_id', 'session_id']) row.take(key)
  return {
    ...draft,
    kind: isModel ? 'llm-rubric' : 'exec',
    ...(score === null ? { passed: null, score: number } : truthScore(score)),
    ...scale,
    details: row.rest(),
  }
}

/** The averages of feedback that a run shows, where the feedback itself is not at hand. */
const averagesOf = (row: Row): AssertionDraft[] => {
  const stats = row.row('feedback_stats')
  return (stats?.keys() ?? []).flatMap((name) => {
    const found = stats?.row(name)
    const score = found?.number('avg') ?? null
    if (!found || score === null) return []
    const rest = found.rest()
    for (const key of found.keys()) found.take(key)
    return [{ name, kind: 'exec' as const, passed: null, score, details: { ...rest, is_average: true } }]
  })
}
