import { isUtf8 } from 'node:buffer'
import { isObject } from '../plain/is-object.ts'
import { instant } from '../instants.ts'
import { firstCodePoints, instantMs, outputText, toolCall, usage } from '../run/document.ts'
import { InvalidDocument } from '../run/invalid-document.ts'
import {
  array,
  boolean,
  count,
  IDENTITY_BYTES,
  json,
  number,
  object,
  oneOfTexts,
  optional,
  readAs,
  sortableLike,
  text,
} from '../run/readers.ts'
import { MAX_USD, microUsd, storableText } from '../text/stored-values.ts'
import { indexText } from '../search/tokenizer.ts'
import { CASE_ROLES } from '../evidence/manifest.ts'
import { isWithinJsonBounds } from './json-bounds.ts'
import { shortenJson } from './shorten-json.ts'

const taggedVerdict = object({ kind: oneOfTexts(['rubric', 'similarity', 'exec']) })
const rubricVerdict = object({ kind: oneOfTexts(['rubric']), score: number, pass: boolean, reasoning: optional(text) })
const similarityVerdict = object({ kind: oneOfTexts(['similarity']), cosine: number })
const execVerdict = object({
  kind: oneOfTexts(['exec']),
  pass: boolean,
  score: number,
  reason: optional(text),
  details: optional(json),
})
const VERDICTS = { rubric: rubricVerdict, similarity: similarityVerdict, exec: execVerdict } as const

/** Reads the parsed body of an entry. Unknown fields are dropped; a known field that is null counts as absent. */
export const cacheBody = object({
  created_at: instant,
  output: json,
  service_version: optional(text),
  kind: optional(text),
  request: optional(json),
  provider_fingerprint: optional(json),
  usage: optional(usage),
  cost_usd: optional(number),
  stop_reason: optional(text),
  model: optional(text),
  reasoning: optional(text),
  raw: optional(json),
  attempts: optional(count),
  provider_latency_ms: optional(count),
  program_digest: optional(text),
  address: optional(text),
  verdict: optional(sortableLike(execVerdict, (value) => VERDICTS[taggedVerdict(value).kind](value))),
  empty_reason: optional(text),
  tool_calls: optional(array(toolCall)),
  /** Pictures, sounds and files of an answer; `data` is base64. */
  parts: optional(array(object({ role: oneOfTexts(CASE_ROLES), name: text, media_type: text, data: text }))),
})

/** The known fields of what clients write into an entry. `created_at` is in UTC; free-form values are as parsed. */
export type CacheBody = ReturnType<typeof cacheBody>

/**
 * The result of reading an entry's bytes. `opaque` bytes are not a JSON object: other programs may store such entries.
 * `unparseable` bytes are a JSON object, but not an entry that this version can read.
 */
export type OpenedCacheBody =
  | { readonly status: 'parsed'; readonly body: CacheBody }
  | { readonly status: 'opaque' | 'unparseable'; readonly body: null }

/** Reads the body of an entry. It never throws. */
export const openCacheBody = (bytes: Uint8Array): OpenedCacheBody =>
  isUtf8(bytes) ? openText(bytes) : { status: 'opaque', body: null }

const openText = (bytes: Uint8Array): OpenedCacheBody => {
  if (!isWithinJsonBounds(bytes)) return { status: 'unparseable', body: null }
  let value: unknown
  try {
    value = JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8'))
  } catch (error) {
    if (error instanceof SyntaxError) return { status: 'opaque', body: null }
    throw error
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return { status: 'opaque', body: null }
  try {
    return { status: 'parsed', body: readAs(cacheBody, value) }
  } catch (error) {
    if (error instanceof InvalidDocument) return { status: 'unparseable', body: null }
    throw error
  }
}

/**
 * What the index stores of an entry. Text has no NUL and no lone surrogate, which not every database can store. Times
 * are epoch milliseconds, money is whole micro-USD. Null means that the body does not contain the value.
 */
export type CacheMetadata = {
  readonly status: OpenedCacheBody['status']
  readonly entry_created_at: number | null
  /** The kind that the body names, or else the kind inferred from its shape. */
  readonly kind: string | null
  readonly model: string | null
  readonly cost_micro: number | null
  readonly input_tokens: number | null
  readonly output_tokens: number | null
  readonly request_summary: string | null
  readonly output_preview: string | null
  readonly empty_reason: string | null
  /** The words of request and output, split like a query; never those of `empty_reason`. */
  readonly search_text: string
}

/** The metadata of an entry that has none, because it is not a JSON object that can be read. */
export const NO_METADATA = {
  entry_created_at: null,
  kind: null,
  model: null,
  cost_micro: null,
  input_tokens: null,
  output_tokens: null,
  request_summary: null,
  output_preview: null,
  empty_reason: null,
  search_text: '',
} as const

/** Returns the metadata that the index stores of an entry's bytes. It never throws. */
export const readCacheBody = (bytes: Uint8Array): CacheMetadata => {
  if (!isUtf8(bytes)) return { status: 'opaque', ...NO_METADATA }
  const { status, body } = openText(
    shortenJson(
      Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength),
      MAX_SEARCHED_CODE_POINTS,
      SHORTENED_FIELDS,
    ),
  )
  return body === null ? { status, ...NO_METADATA } : { status, ...bodyMetadata(body) }
}

const MAX_SUMMARY_CODE_POINTS = 256
const MAX_PREVIEW_CODE_POINTS = 300
const MAX_SEARCHED_CODE_POINTS = 16_384
const MAX_EMPTY_REASON_CODE_POINTS = 64

/**
 * Top-level fields that are cut to the searched length before they are parsed. `empty_reason` is not cut: its control
 * characters do not count towards its limit.
 */
const SHORTENED_FIELDS: ReadonlySet<string> = new Set(['output', 'reasoning'])

const bodyMetadata = (body: CacheBody): Omit<CacheMetadata, 'status'> => {
  // Unlike in a case, null is an output here, because the field `output` is required.
  const output = outputText(body.output) ?? 'null'
  const request = body.request === undefined ? '' : JSON.stringify(body.request)
  return {
    entry_created_at: instantMs(body.created_at),
    kind: name(body.kind ?? inferredKind(body)),
    model: name(body.model ?? null),
    cost_micro: micro(body.cost_usd),
    input_tokens: body.usage?.input_tokens ?? null,
    output_tokens: body.usage?.output_tokens ?? null,
    request_summary: requestSummary(body),
    output_preview: storableText(firstCodePoints(output, MAX_PREVIEW_CODE_POINTS)),
    empty_reason: emptyReason(body),
    search_text: [request, output]
      .map((value) => storableText(indexText(firstCodePoints(value, MAX_SEARCHED_CODE_POINTS))))
      .join('\n'),
  }
}

/**
 * The empty reason of an entry as every page and response shows it: without control characters, at most 64 code points,
 * null if it is empty.
 */
const emptyReason = ({ empty_reason }: CacheBody): string | null =>
  empty_reason === undefined
    ? null
    : storableText(firstCodePoints(empty_reason.replace(/\p{Cc}/gu, ''), MAX_EMPTY_REASON_CODE_POINTS)) || null

const inferredKind = ({ verdict, request, output, attempts, provider_latency_ms }: CacheBody): string | null => {
  if (verdict !== undefined)
    return ({ rubric: 'judge', exec: 'exec_assert', similarity: 'similar_verdict' } as const)[verdict.kind]
  if (member(request, 'transport') === 'exec') {
    const serviceKind = member(member(member(request, 'stdin'), 'service'), 'kind')
    if (serviceKind === 'provider') return 'provider'
    if (serviceKind === 'assert') return 'exec_assert'
  }
  const keys = isObject(output) ? Object.keys(output) : []
  if (keys.length === 1 && keys[0] === 'dims') return 'embedding'
  return attempts !== undefined || provider_latency_ms !== undefined ? 'provider' : null
}

/**
 * Returns `<METHOD> <url without its query>` or `exec <command> <arguments>`. A request in a vendor's format has a path
 * instead of a URL.
 */
const requestSummary = ({ request, address }: CacheBody): string | null => {
  const transport = member(request, 'transport')
  if (transport === 'exec') {
    const args = member(request, 'args')
    const words = [member(request, 'command'), ...(Array.isArray(args) ? (args as unknown[]) : [])].filter(
      (word) => typeof word === 'string',
    )
    return summary(['exec', ...words].join(' '))
  }
  const url = [member(request, 'url'), member(request, 'path'), address].find((value) => typeof value === 'string')
  if (transport !== 'http' || url === undefined) return null
  const method = member(request, 'method')
  return summary(`${typeof method === 'string' ? method : 'POST'} ${url.replace(/[?#].*/s, '')}`)
}

const summary = (words: string): string => storableText(firstCodePoints(words, MAX_SUMMARY_CODE_POINTS))

const member = (value: unknown, key: string): unknown =>
  isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined

/** Shortens a text that an index contains, because an index limits the length of its texts. */
const name = (value: string | null): string | null => {
  if (value === null) return null
  const cleaned = storableText(value)
  // A cut inside a character leaves a replacement character at the end.
  return Buffer.byteLength(cleaned) <= IDENTITY_BYTES
    ? cleaned
    : Buffer.from(cleaned)
        .subarray(0, IDENTITY_BYTES)
        .toString('utf8')
        .replace(/\uFFFD$/, '')
}

/** Returns null for an amount that would not be exact: the entry is stored and listed without it. */
const micro = (usd: number | undefined): number | null =>
  usd === undefined || Math.abs(usd) > MAX_USD ? null : microUsd(usd)
