import { isUtf8 } from 'node:buffer'
import { instant } from '../instants.ts'
import { firstCodePoints, instantMs, outputText, toolCall, usage } from '../run/document.ts'
import { InvalidDocument } from '../run/invalid-document.ts'
import {
  array,
  boolean,
  count,
  IDENTITY_BYTES,
  json,
  like,
  number,
  object,
  oneOf,
  optional,
  readAs,
  text,
} from '../run/readers.ts'
import { clean, MAX_USD, microUsd } from '../run/stored-values.ts'
import { indexText } from '../search/tokenizer.ts'
import { isWithinJsonBounds } from './json-bounds.ts'
import { shortenJson } from './shorten-json.ts'

const taggedVerdict = object({ kind: oneOf(['rubric', 'similarity', 'exec']) })
const rubricVerdict = object({ kind: oneOf(['rubric']), score: number, pass: boolean, reasoning: optional(text) })
const similarityVerdict = object({ kind: oneOf(['similarity']), cosine: number })
const execVerdict = object({
  kind: oneOf(['exec']),
  pass: boolean,
  score: number,
  reason: optional(text),
  details: optional(json),
})
const VERDICTS = { rubric: rubricVerdict, similarity: similarityVerdict, exec: execVerdict } as const

const cacheBody = object({
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
  verdict: optional(like(execVerdict, (value) => VERDICTS[taggedVerdict(value).kind](value))),
  empty_reason: optional(text),
  tool_calls: optional(array(toolCall)),
})

/**
 * What clients write into an entry, known fields only. `created_at` is in UTC; free-form values are as they were
 * parsed.
 */
export type CacheBody = ReturnType<typeof cacheBody>

/**
 * What was made of an entry's bytes. `opaque` bytes are no JSON object at all, as other programs may store them;
 * `unparseable` ones are one, but not an entry that this version reads.
 */
export type OpenedCacheBody =
  | { readonly status: 'parsed'; readonly body: CacheBody }
  | { readonly status: 'opaque' | 'unparseable'; readonly body: null }

/** Reads the body of an entry. No bytes make it throw. */
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
 * What the index holds of an entry. Text is clean: no NUL and no lone surrogate, which not every store can hold. Times
 * are epoch milliseconds, money is whole micro-USD; null is not told by the body.
 */
export type CacheMetadata = {
  readonly status: OpenedCacheBody['status']
  readonly entry_created_at: number | null
  /** The one the body names, else the one that its shape tells. */
  readonly kind: string | null
  readonly model: string | null
  readonly cost_micro: number | null
  readonly input_tokens: number | null
  readonly output_tokens: number | null
  readonly request_summary: string | null
  readonly output_preview: string | null
  readonly empty_reason: string | null
  /** Words of request and output as the tokenizer of queries reads them; never those of `empty_reason`. */
  readonly search_text: string
}

const UNREAD = {
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

/** The metadata that bytes put under a key are listed by. No bytes make it throw. */
export const readCacheBody = (bytes: Uint8Array): CacheMetadata => {
  if (!isUtf8(bytes)) return { status: 'opaque', ...UNREAD }
  const { status, body } = openText(
    shortenJson(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength), SEARCHED, SHORTENED),
  )
  return body === null ? { status, ...UNREAD } : { status, ...metadataOf(body) }
}

const REQUEST_SUMMARY = 256
const OUTPUT_PREVIEW = 300
const SEARCHED = 16_384
const EMPTY_REASON = 64

/**
 * Fields of which no more is read than is searched. Of an `empty_reason` all is, whose control characters do not count.
 */
const SHORTENED: ReadonlySet<string> = new Set(['output', 'reasoning'])

const metadataOf = (body: CacheBody): Omit<CacheMetadata, 'status'> => {
  // Null is an output here, unlike that of a case: an entry without any has no `output`.
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
    output_preview: clean(firstCodePoints(output, OUTPUT_PREVIEW)),
    empty_reason: emptyReason(body),
    search_text: [request, output].map((each) => clean(indexText(firstCodePoints(each, SEARCHED)))).join('\n'),
  }
}

/**
 * The empty reason of an entry as every surface tells it: without control characters, at most 64 code points, null for
 * nothing.
 */
const emptyReason = ({ empty_reason }: CacheBody): string | null =>
  empty_reason === undefined ? null : clean(firstCodePoints(empty_reason.replace(/\p{Cc}/gu, ''), EMPTY_REASON)) || null

const inferredKind = ({ verdict, request, output, attempts, provider_latency_ms }: CacheBody): string | null => {
  if (verdict !== undefined)
    return ({ rubric: 'judge', exec: 'exec_assert', similarity: 'similar_verdict' } as const)[verdict.kind]
  if (member(request, 'transport') === 'exec') {
    const asked = member(member(member(request, 'stdin'), 'service'), 'kind')
    if (asked === 'provider') return 'provider'
    if (asked === 'assert') return 'exec_assert'
  }
  const keys = isObject(output) ? Object.keys(output) : []
  if (keys.length === 1 && keys[0] === 'dims') return 'embedding'
  return attempts !== undefined || provider_latency_ms !== undefined ? 'provider' : null
}

/**
 * `<METHOD> <url without its query>`, or `exec <command> <arguments>`; vendors' requests name a path instead of a URL.
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
  const url = [member(request, 'url'), member(request, 'path'), address].find((each) => typeof each === 'string')
  if (transport !== 'http' || url === undefined) return null
  const method = member(request, 'method')
  return summary(`${typeof method === 'string' ? method : 'POST'} ${url.replace(/[?#].*/s, '')}`)
}

const summary = (words: string): string => clean(firstCodePoints(words, REQUEST_SUMMARY))

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const member = (value: unknown, key: string): unknown =>
  isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined

/** What is filtered by and stands in an index, which takes no text of any length. */
const name = (value: string | null): string | null => {
  if (value === null) return null
  const cleaned = clean(value)
  // A cut within a character leaves a replacement character of its own at the end.
  return Buffer.byteLength(cleaned) <= IDENTITY_BYTES
    ? cleaned
    : Buffer.from(cleaned)
        .subarray(0, IDENTITY_BYTES)
        .toString('utf8')
        .replace(/\uFFFD$/, '')
}

/** Null for an amount that would not be exact: the entry is stored and listed without it. */
const micro = (usd: number | undefined): number | null =>
  usd === undefined || Math.abs(usd) > MAX_USD ? null : microUsd(usd)
