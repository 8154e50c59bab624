import type { AssertionKind, CaseDraft, Turn } from '../../document/case/case-draft.ts'
import type { Losses } from '../../document/losses.ts'
import { totalAsCase } from '../../document/case/total-as-case.ts'
import { takeFailure } from '../../document/case/failure.ts'
import { tokenUsage } from '../../document/case/token-usage.ts'
import { numberOrLoss } from '../../document/odd-values.ts'
import { takeScore } from '../../document/case/verdicts.ts'
import { statedScale } from '../../document/case/stated-scale.ts'
import type { Json } from '../../../domain/run/readers.ts'
import { isObject, rowOf, type Row } from '../../read/row.ts'
import { textAt } from '../../read/members.ts'

export const ROW_PATH = 'rows.*'

const ROLES: ReadonlySet<string> = new Set(['system', 'user', 'assistant', 'tool'])

/** Reads a sample. `result` is the entry of its evaluation, which names the metric. */
export const eeeCase = (
  row: Row,
  provider: string | null,
  result: Readonly<Record<string, Json>>,
  losses: Losses,
): CaseDraft => {
  const input = row.row('input')
  const raw = input?.take('raw') ?? null
  const reference = input?.take('reference') ?? null
  const formatted = input?.text('formatted') ?? null
  const turns = row.rows('messages').map((message) => takeTurn(message, losses))
  const evaluation = row.row('evaluation')
  const isCorrect = evaluation?.boolean('is_correct') ?? null
  const score = evaluation && takeScore(evaluation, 'score', losses)
  const metric = eeeMetric(result)
  const kind: AssertionKind = metric === 'exact_match' || metric === 'accuracy' ? 'equals' : 'exec'
  const usage = row.row('token_usage')
  const performance = row.row('performance')
  const responses = row.row('output')?.take('raw') ?? null
  const failure = takeFailure(row)
  const model = row.text('model_id')
  for (const key of ['schema_version', 'evaluation_id', 'evaluation_name']) row.text(key)
  const cacheRead = usage?.number('input_tokens_cache_read') ?? null
  const cacheWrite = usage?.number('input_tokens_cache_write') ?? null
  return {
    provider: model ?? provider,
    test: row.id('sample_id') ?? { inputs: { raw, reference } },
    vars: {
      ...(raw !== null && { input: raw }),
      ...(reference !== null && { target: reference }),
    },
    failure,
    asserts: [
      {
        name: metric,
        kind,
        ...(kind === 'exec' && { originalType: metric }),
        passed: isCorrect,
        score,
        ...eeeScale(result),
      },
    ],
    output: Array.isArray(responses) && responses.length === 1 ? (responses[0] as Json) : responses,
    promptSent: formatted !== null ? { text: formatted } : turns.length > 0 ? { messages: turns } : null,
    usage: tokenUsage(usage?.number('input_tokens'), usage?.number('output_tokens'), cacheRead, cacheWrite),
    latencyMs: performance && numberOrLoss(performance, 'latency_ms', losses, 'number of milliseconds'),
    rest: row,
    ...(formatted !== null && turns.length > 0 && { raw: { messages: turns } }),
  }
}

const eeeMetric = (result: Readonly<Record<string, Json>>): string =>
  textAt(result, 'metric_config', 'metric_name') ?? textAt(result, 'metric_config', 'metric_id') ?? 'is_correct'

/** The range and the direction of the metric. The range of a metric with levels is from 0 to the last level. */
const eeeScale = ({ metric_config: config = null }: Readonly<Record<string, Json>>) => {
  const levels = isObject(config) && config['score_type'] === 'levels' ? config['level_names'] : null
  const isLevels = Array.isArray(levels) && levels.length > 1
  return { ...(isLevels && { range: [0, levels.length - 1] as const }), ...statedScale(config) }
}

const takeTurn = (row: Row, losses: Losses): Turn => {
  const role = row.text('role') ?? 'user'
  const isRole = ROLES.has(role)
  if (!isRole) losses.add('changed', `${row.path}.role`, role, 'user')
  const callId = row.text('tool_call_id')
  return {
    role: (isRole ? role : 'user') as Turn['role'],
    content: row.text('content') ?? '',
    ...(callId !== null && { tool_call_id: callId }),
  }
}

/** The total of an evaluation as a case; null if it has none. */
export const totalOfResult = (result: Record<string, Json>, provider: string | null): CaseDraft | null => {
  const metric = eeeMetric(result)
  const row = rowOf(result, 'evaluation_results.*')
  const details = row.row('score_details')
  const value = details?.number('score') ?? null
  if (value === null) return null
  const uncertainty = details?.take('uncertainty') ?? null
  const id = row.text('evaluation_result_id')
  return totalAsCase({
    provider,
    test: id ?? metric,
    metric,
    value,
    ...eeeScale(result),
    ...(uncertainty !== null && { raw: { uncertainty } }),
  })
}
