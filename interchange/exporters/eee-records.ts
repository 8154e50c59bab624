import { hash } from 'node:crypto'
import { shownName } from '../../domain/lists/case-name.ts'
import { instantMs, outputText, type NormalRun, type Turn } from '../../domain/run/document.ts'
import { hiddenNote } from '../../domain/lists/hidden-cases.ts'
import type { parsedCase } from './case-batch.ts'

// The records of Every Eval Ever, schema 0.3: https://github.com/evaleval/every_eval_ever.

const EEE_SCHEMA_VERSION = '0.3.0'

/** What the records of a run share. */
export type EeeRun = {
  readonly run_id: string
  readonly project: string
  readonly suite: string
  /** Whole seconds since 1970, as text. */
  readonly timestamp: string
  readonly version: string
  /** Further facts; all values are texts. */
  readonly details: Readonly<Record<string, string>>
}

export const eeeRunOf = (
  { run_id, project, suite, finished_at, origin, git, config_digest }: NormalRun,
  hidden_cases: number,
): EeeRun => ({
  run_id,
  project: project ?? 'unknown',
  suite: suite ?? 'eval',
  timestamp: String(Math.floor(instantMs(finished_at) / 1000)),
  version: origin?.version ?? 'unknown',
  details: textsOf({
    ...{ run_id, project, suite, config_digest, git_branch: git?.branch, git_commit: git?.commit },
    note: hidden_cases > 0 ? hiddenNote(hidden_cases) : undefined,
  }),
})

/** The members that have a value, as texts. */
const textsOf = (values: Readonly<Record<string, string | number | undefined>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(values).flatMap(([key, value]) => (value === undefined ? [] : [[key, String(value)]])),
  )

/** A name as one part of a path in the archive. */
const pathPart = (name: string): string => {
  const part = name.replaceAll(/[^\w.-]+/g, '_').slice(0, 100)
  return /^\.*$/.test(part) ? '_' : part
}

/** A UUID of version 4 in shape, made from a text: the same run always has the same file names. */
const uuidOf = (text: string): string => {
  const hex = hash('sha256', text)
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}

/** The organization and the name of a model: `acme/m-1` or `acme:m-1`. */
const modelInfo = (provider_id: string) => {
  const [, developer, name] = /^([^/:]+)[/:](.+)$/s.exec(provider_id) ?? []
  return developer === undefined || name === undefined
    ? { developer: 'unknown', name: provider_id }
    : { developer, name }
}

/** The path of the records of a provider in the archive, without its ending. */
export const eeePath = ({ run_id, suite }: EeeRun, provider_id: string): string => {
  const { developer, name } = modelInfo(provider_id)
  const uuid = uuidOf(JSON.stringify([run_id, provider_id]))
  return `data/${pathPart(suite)}/${pathPart(developer)}/${pathPart(name)}/${uuid}`
}

const evaluationId = ({ suite, timestamp }: EeeRun, provider_id: string): string =>
  `${suite}/${provider_id.replaceAll('/', '_')}/${timestamp}`

/** What was counted of the cases of a provider. `rows` counts hidden cases too, as no other count does. */
export type EeeCounts = {
  readonly rows: number
  readonly total: number
  readonly scores: number
  readonly statuses: Readonly<Record<string, number>>
}

export const NO_CASES: EeeCounts = { rows: 0, total: 0, scores: 0, statuses: {} }

/** The aggregate record of a provider. Its score is the pass rate, as the service shows it. */
export const aggregateRecord = (
  run: EeeRun,
  provider_id: string,
  { rows, total, scores, statuses }: EeeCounts,
  samples: { readonly path: string; readonly sha256: string },
) => {
  const { developer, name } = modelInfo(provider_id)
  return {
    schema_version: EEE_SCHEMA_VERSION,
    evaluation_id: evaluationId(run, provider_id),
    evaluation_timestamp: run.timestamp,
    retrieved_timestamp: run.timestamp,
    source_metadata: {
      source_name: 'Evaluation Results Service',
      source_type: 'evaluation_run',
      source_organization_name: run.project,
      evaluator_relationship: 'other',
      additional_details: run.details,
    },
    eval_library: { name: 'evaluation-results-service', version: run.version },
    model_info: {
      name,
      id: provider_id,
      developer,
      additional_details: { deployment_type: 'unknown', model_availability: 'unknown' },
    },
    evaluation_results: [
      {
        evaluation_result_id: `${run.suite}.pass_rate`,
        evaluation_name: run.suite,
        source_data: { dataset_name: run.suite, source_type: 'other' },
        evaluation_timestamp: run.timestamp,
        metric_config: {
          metric_id: 'pass_rate',
          metric_name: 'Pass rate',
          metric_kind: 'pass_rate',
          metric_unit: 'proportion',
          lower_is_better: false,
          score_type: 'continuous',
          min_score: 0,
          max_score: 1,
        },
        score_details: {
          score: total === 0 ? 0 : (statuses['pass'] ?? 0) / total,
          details: textsOf({ ...statuses, mean_score: total === 0 ? undefined : scores / total }),
        },
      },
    ],
    detailed_evaluation_results: {
      format: 'jsonl',
      file_path: samples.path,
      hash_algorithm: 'sha256',
      checksum: samples.sha256,
      total_rows: rows,
    },
  }
}

type Case = ReturnType<typeof parsedCase>

/** The record of a case. */
export const sampleRecord = (run: EeeRun, item: Case, hidden_by: number | null) => {
  const { cell, prompt, usage, vars } = item
  const turns: readonly Turn[] =
    prompt === undefined ? [] : 'text' in prompt ? [{ role: 'user', content: prompt.text }] : prompt.messages
  const output = outputText(item.output)
  const raw = turns.flatMap((turn) => (turn.role === 'user' ? [turnText(turn)] : [])).join('\n\n')
  const reference = [vars?.['target'] ?? vars?.['expected']].flatMap((value) => {
    const text = outputText(value)
    return text === null ? [] : [text]
  })
  const calls = (item.tool_calls?.length ?? 0) + turns.reduce((sum, turn) => sum + (turn.tool_calls?.length ?? 0), 0)
  const isAgentic = calls > 0 || turns.some(({ role }) => role === 'tool')
  const isMultiTurn = isAgentic || turns.some(({ role }) => role === 'assistant')
  return {
    schema_version: EEE_SCHEMA_VERSION,
    evaluation_id: evaluationId(run, cell.provider_id),
    model_id: cell.provider_id,
    evaluation_name: run.suite,
    evaluation_result_id: `${run.suite}.pass_rate`,
    sample_id: cell.test_id,
    sample_hash: hash('sha256', raw + reference.join('')),
    interaction_type: isAgentic ? 'agentic' : isMultiTurn ? 'multi_turn' : 'single_turn',
    input: { raw, formatted: turns.map((turn) => `${turn.role}: ${turnText(turn)}`).join('\n\n') || null, reference },
    output: isMultiTurn
      ? null
      : { raw: output === null ? [] : [output], ...(item.reasoning ? { reasoning_trace: [item.reasoning] } : {}) },
    messages: isMultiTurn ? messagesOf(turns, item, output) : null,
    answer_attribution: [],
    evaluation: {
      score: item.score,
      is_correct: item.status === 'pass',
      ...(isMultiTurn ? { num_turns: turns.length + 1, tool_calls_count: calls } : {}),
    },
    token_usage: usage ? tokenUsage(usage) : null,
    performance: item.latency_ms === 0 ? null : { latency_ms: item.latency_ms },
    error: item.error ?? null,
    metadata: textsOf({
      case_key: item.case_key,
      hidden_by: hidden_by ?? undefined,
      status: item.status,
      prompt_id: cell.prompt_id,
      repeat: cell.repeat,
      name: shownName(item) ?? undefined,
      stop_reason: item.stop_reason,
      error_class: item.error_class,
      cost_usd: item.cost_usd,
      tags: item.tags && JSON.stringify(item.tags),
      vars: vars && JSON.stringify(vars),
      asserts: item.asserts.length === 0 ? undefined : JSON.stringify(item.asserts),
    }),
  }
}

/** Input tokens count those of the provider's cache too, unlike in a run document. */
const tokenUsage = (usage: NonNullable<Case['usage']>) => {
  const { input_tokens, output_tokens, cache_read_tokens = 0, cache_write_tokens = 0 } = usage
  const input = input_tokens + cache_read_tokens + cache_write_tokens
  return {
    input_tokens: input,
    output_tokens,
    total_tokens: input + output_tokens,
    input_tokens_cache_write: usage.cache_write_tokens ?? null,
    input_tokens_cache_read: usage.cache_read_tokens ?? null,
  }
}

const turnText = ({ content }: Turn): string =>
  typeof content === 'string'
    ? content
    : content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n')

const thinkingOf = ({ content }: Turn): string =>
  typeof content === 'string'
    ? ''
    : content.flatMap((block) => (block.type === 'thinking' ? [block.thinking] : [])).join('\n')

/** The turns of the prompt, then the answer. */
const messagesOf = (turns: readonly Turn[], item: Case, output: string | null) => [
  ...turns.map((turn, turn_idx) => ({
    turn_idx,
    role: turn.role,
    content: turnText(turn) || null,
    reasoning_trace: thinkingOf(turn) || null,
    tool_calls: toolCalls(turn.tool_calls),
    tool_call_id: turn.tool_call_id === undefined ? null : [turn.tool_call_id],
  })),
  {
    turn_idx: turns.length,
    role: 'assistant',
    content: output,
    reasoning_trace: item.reasoning ?? null,
    tool_calls: toolCalls(item.tool_calls),
    tool_call_id: null,
  },
]

const toolCalls = (calls: Case['tool_calls']) =>
  calls?.map((call, index) => ({
    id: call.id ?? `call_${index}`,
    name: call.name,
    arguments:
      call.arguments === null || typeof call.arguments !== 'object'
        ? { value: outputText(call.arguments) ?? '' }
        : Object.fromEntries(Object.entries(call.arguments).map(([key, value]) => [key, outputText(value) ?? 'null'])),
  })) ?? null
