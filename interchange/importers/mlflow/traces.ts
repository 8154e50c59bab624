import { testIdOfInputs } from '../../document/identity.ts'
import { isRawNumber } from '../../../domain/run/canonical-json.ts'
import type { Json } from '../../../domain/run/readers.ts'
import type { CaseDraft, Usage } from '../../document/case/case-draft.ts'
import type { ImportOptions } from '../../document/import-options.ts'
import type { SourceFile } from '../../read/source-file.ts'
import { NO_LOSSES, type Losses } from '../../document/losses.ts'
import { innerJson, jsonOrText } from '../../read/json/inner-json.ts'
import { isObject, type Row } from '../../read/row.ts'
import { assessmentsOf } from './assessments.ts'
import { mlflowTags } from './tags.ts'
import { traceArtifacts } from './artifacts.ts'
import { mlflowEvidence } from './transcript.ts'
import { exampleVars } from '../../document/case/example-vars.ts'
import { promptUsage, tokenUsage } from '../../document/case/token-usage.ts'
import { numberAt, textAt } from '../../read/members.ts'

/** The tag of the trace of a judge. Such a trace is no case. */
export const SCORER_TAG = 'mlflow.trace.sourceScorer'
export const RUN_KEY = 'mlflow.sourceRun'

/** MLflow cuts previews to this length. */
const PREVIEW_CHARACTERS = 1_000

/** Members about how MLflow stores a trace. */
const STORAGE = [
  'mlflow.trace.sizeBytes',
  'mlflow.trace.sizeStats',
  'mlflow.trace.infoFinalized',
  'mlflow.trace_schema.version',
]

/** Whether a value is a trace, as lists and lines of traces have it. */
export const isTrace = (value: unknown): value is Record<string, Json> =>
  isObject(value) &&
  isObject(value['info']) &&
  (isObject(value['info']['trace_metadata']) || 'trace_id' in value['info'])

/**
 * Reads a trace `{info, data: {spans}}` of a source as a case, with its spans as a transcript and its artifacts if evidence is
 * kept.
 */
export const traceCase = (
  trace: Row,
  losses: Losses,
  file: SourceFile,
  { evidence: kept }: Pick<ImportOptions, 'evidence'>,
): CaseDraft => {
  const info = trace.row('info')!
  const metadata = info.row('trace_metadata')
  const spans = trace.peek('data')
  const id = String(info.peek('trace_id'))
  const evidence =
    kept === undefined
      ? null
      : mlflowEvidence(
          id,
          listAt(spans, 'spans').map(copyOf),
          traceArtifacts(textAt(info.value, 'tags', 'mlflow.artifactLocation'), id, file, losses),
        )
  const root = rootSpan(trace, evidence === null ? losses : NO_LOSSES)
  const attributes = root?.row('attributes') ?? null
  const { inputs, outputs } = mlflowValues(info, metadata, attributes, losses)
  const { asserts, expected, expectations } = assessmentsOf(info, losses)
  const tags = mlflowTags(info.row('tags'))
  metadata?.take(RUN_KEY)
  for (const key of STORAGE)
    if (metadata?.has(key))
      losses.add('left_out', `${metadata.path}.${key}`, metadata.take(key), 'how the trace is stored')
  return {
    provider: mlflowModel(trace, attributes),
    // Without inputs, nothing but its id names the trace.
    test: inputs === null ? id : testIdOfInputs(inputs),
    tags,
    vars: exampleVars(inputs, Object.keys(expected).length > 0 ? expected : null),
    failure: mlflowFailure(info, root),
    asserts,
    output: outputs,
    usage: mlflowUsage(metadata),
    costUsd: mlflowCost(metadata),
    latencyMs: mlflowDuration(info),
    rest: trace,
    ...(evidence !== null && { evidence }),
    ...(expectations.length > 0 && { raw: { expectations } }),
  }
}

const listAt = (value: unknown, key: string): readonly Json[] =>
  isObject(value) && Array.isArray(value[key]) ? (value[key] as Json[]) : []

/** A copy of a value: members are taken from the original. */
const copyOf = (value: Json): Json => {
  if (Array.isArray(value)) return (value as Json[]).map(copyOf)
  if (!isObject(value) || isRawNumber(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, copyOf(member)]))
}

/** The span without a parent. The others are left out. */
const rootSpan = (trace: Row, losses: Losses): Row | null => {
  const data = trace.row('data')
  const spans = data?.peek('spans')
  if (!Array.isArray(spans)) return null
  const list = spans as Json[]
  const found = list.findIndex((span) => isObject(span) && !span['parent_span_id'] && !span['parent_id'])
  const others = list.filter((_, index) => index !== found)
  if (others.length > 0) losses.add('left_out', `${trace.path}.data.spans`, others, 'spans below the root')
  data?.take('spans')
  const root = list[found]
  if (data === null || root === undefined || !isObject(root)) return null
  // What is not read of the root stays in raw.
  data.value['root'] = root
  return data.row('root')
}

type Values = { readonly inputs: Json; readonly outputs: Json }

/** Values are JSON in texts, at up to three places. Previews are cut. */
const mlflowValues = (info: Row, metadata: Row | null, attributes: Row | null, losses: Losses): Values => {
  const read = (spanKey: string, metadataKey: string, previewKey: string): Json => {
    const inSpan = attributes?.text(spanKey) ?? null
    const inMetadata = metadata?.text(metadataKey) || null
    const preview = info.text(previewKey) || null
    const text = inSpan ?? inMetadata ?? preview
    if (text === null) return null
    // Metadata and preview are put back if they are not the beginning of the text that was taken.
    for (const [row, key, other] of [
      [metadata, metadataKey, inMetadata],
      [info, previewKey, preview],
    ] as const)
      if (other !== null && !text.startsWith(other.replace(/\.\.\.$/, ''))) row!.value[key] = other
    if (inSpan === null && inMetadata === null && text.length >= PREVIEW_CHARACTERS)
      losses.add('cut', `${info.path}.${previewKey}`, text, `previews have ${PREVIEW_CHARACTERS} characters`)
    return jsonOrText(text)
  }
  return {
    inputs: read('mlflow.spanInputs', 'mlflow.traceInputs', 'request_preview'),
    outputs: read('mlflow.spanOutputs', 'mlflow.traceOutputs', 'response_preview'),
  }
}

/** The model that the root span or the trace names. */
const mlflowModel = (trace: Row, attributes: Row | null): string | null => {
  const named = attributes?.peek('mlflow.llm.model')
  const model = typeof named === 'string' ? jsonOrText(named) : trace.peek('model_name')
  return typeof model === 'string' && model !== '' ? model : null
}

const mlflowFailure = (info: Row, root: Row | null) => {
  const state = info.text('state') ?? info.text('status')
  if (state !== 'ERROR') return null
  const exception = (root?.rows('events') ?? []).find((event) => event.peek('name') === 'exception')
  const attributes = exception?.row('attributes') ?? null
  const status = root?.row('status')
  const type = attributes?.text('exception.type') ?? null
  const message = attributes?.text('exception.message') ?? null
  const statusMessage = status?.text('message') ?? status?.text('description') ?? null
  return {
    message: statusMessage || (message === null ? 'the call failed' : type === null ? message : `${type}: ${message}`),
    trace: attributes?.text('exception.stacktrace') ?? null,
    class: type,
  }
}

/**
 * Tokens are a JSON text. The tokens from a cache are part of `input_tokens` for OpenAI, but not for Anthropic, which alone
 * reports tokens written to a cache.
 */
const mlflowUsage = (metadata: Row | null): Usage | null => {
  const text = metadata?.peek('mlflow.trace.tokenUsage')
  const usage = typeof text === 'string' ? innerJson(text) : text
  if (!isObject(usage)) return null
  const number = (key: string) => numberAt(usage, key)
  const [input, output] = [number('input_tokens'), number('output_tokens')]
  if (input === null && output === null) return null
  metadata?.take('mlflow.trace.tokenUsage')
  const [read, written] = [number('cache_read_input_tokens'), number('cache_creation_input_tokens')]
  return written === null ? promptUsage(input, output, read) : tokenUsage(input, output, read, written)
}

const mlflowCost = (metadata: Row | null): number | null => {
  const text = metadata?.peek('mlflow.trace.cost')
  const cost = typeof text === 'string' ? innerJson(text) : text
  const total = numberAt(cost, 'total_cost')
  return total !== null && total > 0 ? total : null
}

/** Milliseconds, or a text such as "1.5s" in the answers of the service. */
export const mlflowDuration = (info: Row): number | null => {
  const ms = info.number('execution_duration_ms') ?? info.number('execution_time_ms')
  if (ms !== null) return ms
  const text = info.peek('execution_duration')
  const seconds = typeof text === 'string' ? /^(\d+(?:\.\d+)?)s$/.exec(text)?.[1] : undefined
  if (seconds === undefined) return null
  info.take('execution_duration')
  return Number(seconds) * 1000
}
