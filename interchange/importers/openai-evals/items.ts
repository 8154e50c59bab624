import { hash } from 'node:crypto'
import { canonicalJson } from '../../../domain/run/canonical-json.ts'
import type { Json } from '../../../domain/run/readers.ts'
import type { AssertionDraft, AssertionKind, CaseDraft, Usage } from '../../document/case/case-draft.ts'
import { takeFailure } from '../../document/case/failure.ts'
import { takeScore } from '../../document/case/verdicts.ts'
import type { Losses } from '../../document/losses.ts'
import { toolCallsOf, readTurns } from '../../document/case/turns.ts'
import { isObject, type Row } from '../../read/row.ts'
import { promptUsage } from '../../document/case/token-usage.ts'

/** A criterion of an evaluation: what its results do not say. */
type Criterion = {
  readonly type: string | null
  readonly range: readonly [number, number] | null
  readonly threshold: number | null
  readonly judge: { readonly model: string; readonly template_sha256?: string } | null
}

/** Reads output items. `model` is that of the run, `evaluation` the object that describes the evaluation. */
export const itemReader = (losses: Losses, model: string | null, evaluation: Record<string, Json> | null) => {
  const criteria = criteriaOf(evaluation)
  return (row: Row): CaseDraft => {
    const sample = row.row('sample')
    const failed = sample && takeFailure(sample)
    const status = row.text('status')
    const failure = failed ?? (status === 'error' || status === 'errored' ? { message: 'the item failed' } : null)
    const vars = row.object('datasource_item')
    const answer = answerOf(sample, losses)
    const usedModel = sample?.text('model') || null
    const results = row.peek('results')
    const asserts = Array.isArray(results)
      ? row.rows('results').map((result) => criterionAssertion(result, criteria, losses))
      : []
    for (const key of ['object', 'run_id', 'eval_id']) row.take(key)
    return {
      provider: model ?? usedModel,
      test: row.id('datasource_item_id') ?? { inputs: vars },
      ...(vars !== null && { vars }),
      ...(failure === null && (status === 'pass' || status === 'fail') && { status }),
      failure,
      asserts,
      ...answer,
      promptSent: openAiPrompt(sample, losses),
      stopReason: sample?.text('finish_reason') ?? null,
      model: usedModel,
      usage: openAiUsage(sample?.row('usage') ?? null),
      rest: row,
      ...(failure === null && status !== null && status !== 'pass' && status !== 'fail' && { raw: { status } }),
    }
  }
}

const openAiPrompt = (sample: Row | null, losses: Losses) => {
  const messages = readTurns(sample?.peek('input'), losses, `${sample?.path}.input`)
  if (messages === null) return null
  sample?.take('input')
  return { messages }
}

/** The text of the only answer, with the calls of tools; several answers stay as they are. */
const answerOf = (sample: Row | null, losses: Losses): Pick<CaseDraft, 'output' | 'toolCalls'> => {
  const output = sample?.take('output') ?? null
  const turn: unknown = Array.isArray(output) && output.length === 1 ? output[0] : null
  if (!isObject(turn)) return { output: Array.isArray(output) && output.length === 0 ? null : output }
  const { role, content = null, tool_calls: calls = null, ...others } = turn
  if (typeof content !== 'string' || Object.values(others).some((member) => member !== null)) return { output }
  if (role !== 'assistant') losses.add('left_out', `${sample?.path}.output.*.role`, role, 'of an answer')
  return { output: content, toolCalls: toolCallsOf(calls, losses, `${sample?.path}.output.*.tool_calls`) }
}

const openAiUsage = (usage: Row | null): Usage | null => {
  if (usage === null) return null
  const cached = usage.number('cached_tokens')
  const prompt = usage.number('prompt_tokens')
  const completion = usage.number('completion_tokens')
  if (usage.peek('total_tokens') === (prompt ?? 0) + (completion ?? 0)) usage.take('total_tokens')
  return promptUsage(prompt, completion, cached)
}

const KINDS: Readonly<Record<string, AssertionKind>> = {
  string_check: 'equals',
  text_similarity: 'similar',
  label_model: 'llm-rubric',
  score_model: 'llm-rubric',
}

const criterionAssertion = (result: Row, criteria: ReadonlyMap<string, Criterion>, losses: Losses): AssertionDraft => {
  const full = result.text('name')
  const name = full?.replace(UUID, '') ?? null
  const criterion = criteria.get(name ?? '') ?? criteria.get(full ?? '')
  // "string-check-grader" and "string_check" are one type.
  const type = (result.text('type') ?? criterion?.type ?? null)?.replaceAll('-', '_').replace(/_grader$/, '') ?? null
  const passed = result.boolean('passed')
  const score = takeScore(result, 'score', losses)
  const kind = (type !== null && Object.hasOwn(KINDS, type) ? KINDS[type] : null) ?? 'exec'
  const details = {
    ...result.rest(),
    ...(full !== name && { name: full }),
    ...(criterion?.judge && { judge: criterion.judge }),
  }
  for (const key of result.keys()) result.take(key)
  const range = score !== null && criterion?.range ? criterion.range : null
  return {
    name,
    kind,
    originalType: type,
    passed,
    score,
    ...(range !== null && { range }),
    threshold: criterion?.threshold ?? null,
    ...(Object.keys(details).length > 0 && { details }),
  }
}

/** The service appends an id to the name of a criterion. */
const UUID = /-[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

const criteriaOf = (evaluation: Record<string, Json> | null): ReadonlyMap<string, Criterion> => {
  const found = new Map<string, Criterion>()
  const criteria = evaluation?.['testing_criteria']
  for (const criterion of Array.isArray(criteria) ? (criteria as Json[]) : []) {
    if (!isObject(criterion) || typeof criterion['name'] !== 'string') continue
    const { type, range, pass_threshold: threshold, model, input } = criterion
    const [low, high] = Array.isArray(range) ? (range as unknown[]) : []
    found.set(criterion['name'], {
      type: typeof type === 'string' ? type : null,
      range: typeof low === 'number' && typeof high === 'number' ? [low, high] : null,
      threshold: typeof threshold === 'number' ? threshold : null,
      judge:
        typeof model === 'string'
          ? { model, ...(Array.isArray(input) && { template_sha256: hash('sha256', canonicalJson(input), 'hex') }) }
          : null,
    })
  }
  return found
}
