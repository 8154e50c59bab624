import type { AssertionDraft, CaseDraft, Usage } from '../../document/case/case-draft.ts'
import { takeFailure } from '../../document/case/failure.ts'
import { takeScore } from '../../document/case/verdicts.ts'
import type { Losses } from '../../document/losses.ts'
import type { timeRange } from '../../document/time/time-range.ts'
import type { JsonRecord } from '../../read/rows/records.ts'
import { rowOf, type Row } from '../../read/row.ts'
import { promptUsage } from '../../document/case/token-usage.ts'
import { exampleVars } from '../../document/case/example-vars.ts'
import { isKnown } from '../../document/known.ts'

/** Reads a root span with the spans below it. */
export const braintrustCase = (
  row: Row,
  children: readonly JsonRecord[],
  times: ReturnType<typeof timeRange>,
  losses: Losses,
): CaseDraft => {
  const metrics = row.row('metrics')
  const spans = children.map((child) => rowOf(child, '(spans)'))
  const calls = spans.filter((span) => span.row('span_attributes')?.peek('type') === 'llm')
  const [start, end] = [metrics?.peekNumber('start') ?? null, metrics?.peekNumber('end') ?? null]
  const created = row.peek('created')
  times.add(start ?? created, end, 'seconds')
  const model = [row, ...calls].map((span) => span.row('metadata')?.peekText('model')).find(isKnown)
  const usage =
    braintrustUsage(calls.length > 0 ? calls.map((call) => call.row('metrics')) : [metrics]) ??
    braintrustUsage([metrics])
  const [input, expected, error] = [row.take('input'), row.take('expected'), takeFailure(row)]
  const cost =
    metrics?.number('estimated_cost') ??
    sumOf(
      calls.map((call) => call.row('metrics')),
      'estimated_cost',
    )
  return {
    provider: model ?? null,
    test: { inputs: input },
    vars: exampleVars(input, expected),
    failure: error === null ? null : withFirstLine(error),
    asserts: braintrustScores(row.row('scores'), losses),
    output: row.take('output'),
    latencyMs: start !== null && end !== null ? (end - start) * 1000 : null,
    usage,
    costUsd: cost,
    tags: row.texts('tags') ?? [],
    raw: spans.length === 0 ? {} : { spans: spans.flatMap((span) => span.rest() ?? []) },
    rest: row,
  }
}

/** The first line of an error is its message, the whole its trace. */
const withFirstLine = (failure: NonNullable<CaseDraft['failure']>): NonNullable<CaseDraft['failure']> => {
  const { message } = failure
  return message.includes('\n') ? { trace: message, ...failure, message: message.split('\n', 1)[0]! } : failure
}

/** Each score is an assertion. One that is null, or not a score, was not computed. */
const braintrustScores = (row: Row | null, losses: Losses): AssertionDraft[] =>
  row === null
    ? []
    : row.keys().map((name) => {
        const score = takeScore(row, name, losses)
        if (row.peek(name) === null) row.take(name)
        return { name, kind: 'exec' as const, passed: null, score }
      })

/** The sum of a number over spans; null if none has it. */
const sumOf = (rows: readonly (Row | null)[], key: string): number | null => {
  const values = rows.flatMap((row) => row?.peekNumber(key) ?? [])
  return values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0)
}

/** The numbers of the spans stay in `raw`. */
const braintrustUsage = (rows: readonly (Row | null)[]): Usage | null =>
  promptUsage(sumOf(rows, 'prompt_tokens'), sumOf(rows, 'completion_tokens'), sumOf(rows, 'prompt_cached_tokens'))
