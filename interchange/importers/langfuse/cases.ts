import type { AssertionDraft, CaseDraft, Usage } from '../../document/case/case-draft.ts'
import { takeScore, verdictIn } from '../../document/case/verdicts.ts'
import type { Losses } from '../../document/losses.ts'
import { numberOrLoss } from '../../document/odd-values.ts'
import { readTimeMs, timeOfMs } from '../../document/time/times.ts'
import { truthScore } from '../../document/case/scores.ts'
import type { JsonRecord } from '../../read/rows/records.ts'
import { rowOf, type Row } from '../../read/row.ts'
import { tokenUsage } from '../../document/case/token-usage.ts'
import { exampleVars } from '../../document/case/example-vars.ts'
import { numberAt, objectsAt, textAt } from '../../read/members.ts'
import { isKnown } from '../../document/known.ts'

export type FoundItem = {
  readonly draft: CaseDraft
  readonly start: string | null
  readonly end: string | null
  readonly suite: string | null
  readonly description: string | null
}

/** Reads an item of an experiment, which has its inputs, its output and its scores. */
export const itemOfRun = (row: Row, losses: Losses): FoundItem => {
  const [start, end] = [row.peekText('startTime'), row.peekText('endTime')]
  const metadata = row.row('experimentMetadata')
  const model = row.peekText('model') ?? metadata?.peekText('model') ?? null
  const suite = row.text('experimentDatasetName') ?? row.peekText('experimentDatasetId')
  row.text('experimentId')
  return {
    start,
    end,
    suite,
    description: row.text('experimentDescription'),
    draft: {
      provider: model,
      ...observed(row, start, end),
      test: row.text('experimentItemId') ?? { inputs: row.peek('input') },
      vars: exampleVars(row.take('input'), row.take('expectedOutput')),
      asserts: langfuseAssertions(row.rows('scores'), losses),
      rest: row,
    },
  }
}

type Parts = {
  readonly trace: JsonRecord | null
  readonly item: JsonRecord | null
  readonly scores: readonly JsonRecord[]
}

/** Reads an item of a dataset run, whose inputs, output and scores are elsewhere. */
export const itemOfTrace = (row: Row, { trace, item, scores }: Parts, losses: Losses): FoundItem => {
  const traced = rowOf(trace ?? {}, '(traces)')
  const dataset = rowOf(item ?? {}, '(dataset items)')
  const start = traced.peekText('timestamp') ?? row.peekText('createdAt')
  const seconds = numberOrLoss(traced, 'latency', losses, 'number of seconds')
  row.text('datasetRunId')
  const input = dataset.take('input') ?? traced.peek('input')
  if (JSON.stringify(traced.peek('input')) === JSON.stringify(input)) traced.take('input')
  const metadata = traced.row('metadata')
  const seen = observed(traced, null, null)
  const calls = langfuseCalls(traced.peek('observations'))
  // A trace that was fetched by itself has its scores; a list of traces has their ids.
  const own = scores.length > 0 ? [] : traced.rows('scores')
  const draft = {
    ...seen,
    failure: seen.failure ?? calls.failure,
    usage: seen.usage ?? calls.usage,
    provider: metadata?.peekText('model') ?? calls.model,
    test: row.text('datasetItemId') ?? { inputs: input },
    vars: exampleVars(input ?? null, dataset.take('expectedOutput')),
    latencyMs: seconds === null ? null : seconds * 1000,
    asserts: langfuseAssertions([...scores.map((score) => rowOf(score, '(scores)')), ...own], losses),
  }
  const [left, leftItem] = [traced.rest(), dataset.rest()]
  return {
    start,
    end: seconds === null ? null : timeOfMs(readTimeMs(start) + seconds * 1000),
    suite: dataset.peekText('datasetName') ?? dataset.peekText('datasetId'),
    description: null,
    draft: {
      ...draft,
      ...(trace === null && { failure: { message: 'the trace of this item is missing' } }),
      raw: { ...(left && { trace: left }), ...(leftItem && { item: leftItem }) },
      rest: row,
    },
  }
}

/** What the observations of a trace say of its calls of models. They stay in `raw`. */
const langfuseCalls = (observations: unknown) => {
  const all = objectsAt(observations)
  const calls = all.filter(({ type }) => type === 'GENERATION')
  const failed = all.find((one) => one['level'] === 'ERROR' && (one['parentObservationId'] ?? null) === null)
  const sum = (key: string): number | null => {
    const numbers = calls.flatMap((call) => numberAt(call, 'usageDetails', key) ?? [])
    return numbers.length === 0 ? null : numbers.reduce((total, value) => total + value, 0)
  }
  return {
    model: calls.map((call) => textAt(call, 'model')).find(isKnown) ?? null,
    failure: failed === undefined ? null : { message: textAt(failed, 'statusMessage') ?? 'level ERROR' },
    usage: tokenUsage(sum('input'), sum('output')),
  }
}

/** What an observation or a trace says of the outcome. */
const observed = (row: Row, start: string | null, end: string | null) => {
  const isError = row.peek('level') === 'ERROR'
  const message = isError ? row.text('statusMessage') : null
  const ms = readTimeMs(end) - readTimeMs(start)
  return {
    failure: isError ? { message: message || 'level ERROR' } : null,
    output: row.take('output'),
    latencyMs: Number.isNaN(ms) ? null : ms,
    usage: langfuseUsage(row.row('usageDetails')),
    costUsd: row.number('totalCost') || null,
    tags: row.texts('tags') ?? [],
  }
}

/** Langfuse counts cached input apart from the input. */
const langfuseUsage = (row: Row | null): Usage | null => {
  const [input, output] = [row?.number('input') ?? null, row?.number('output') ?? null]
  if (input === null && output === null) return null
  return tokenUsage(input, output, row?.number('input_cached_tokens') ?? row?.number('cache_read_input_tokens'))
}

/**
 * Reads scores. A category decides only if it is a word such as `pass` or `incorrect`, and the item has no score that is a
 * number or a truth value: other words do not say what is good.
 */
const langfuseAssertions = (rows: readonly Row[], losses: Losses): readonly AssertionDraft[] => {
  const found = rows.map((row) => langfuseAssertion(row, losses))
  if (found.some(({ decides }) => decides)) return found
  return found.map((draft) => (draft.passed === null ? draft : { ...draft, decides: true }))
}

/** Reads a score. A category or a text does not decide here; the name of who annotated is in its details. */
const langfuseAssertion = (row: Row, losses: Losses): AssertionDraft => {
  const type = row.text('dataType') ?? (typeof row.peek('value') === 'number' ? 'NUMERIC' : null)
  const number = type === 'NUMERIC' || type === 'BOOLEAN' ? takeScore(row, 'value', losses) : null
  const truth = type === 'BOOLEAN' && number !== null ? number !== 0 : null
  const category = type === 'CATEGORICAL' ? (row.peek('stringValue') ?? row.peek('value')) : null
  const verdict = verdictIn(category)
  if (type === 'CATEGORICAL' && verdict === null)
    losses.add('assumed', `${row.path}.value`, category, 'a category that does not say what is good: not evaluated')
  const text = type === 'TEXT' ? (row.text('value') ?? row.text('stringValue')) : null
  const comment = row.text('comment')
  const name = row.text('name')
  const rest = row.rest()
  for (const key of row.keys()) row.take(key)
  return {
    name,
    kind: 'exec',
    ...(truth === null ? { passed: verdict, score: number } : truthScore(truth)),
    decides: type === 'BOOLEAN' || type === 'NUMERIC',
    reason: [text, comment].filter((part) => part !== null && part !== '').join('\n') || null,
    details: { ...rest, ...(type !== null && { dataType: type }) },
  }
}
