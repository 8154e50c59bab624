import { createHash } from 'node:crypto'
import { isDigest } from '../evidence/manifest.ts'
import { instant } from '../instants.ts'
import { canonicalJson, canonicalText, isRawNumber, parseExact } from './canonical-json.ts'
import { InvalidDocument, malformedDocument } from './invalid-document.ts'
import {
  array,
  boolean,
  count,
  withDefault,
  withSchema,
  freeObject,
  identity,
  json,
  map,
  mismatch,
  nonEmptyIdentity,
  number,
  object,
  oneOfTexts,
  optional,
  readAs,
  sortableLike,
  text,
  unlessEmpty,
  type ValueReader,
} from './readers.ts'
import { scanDocument } from './scan.ts'

export const SCHEMA_WINDOW = { min: 2, max: 3 } as const
export const SUPPORTED_SCHEMA_VERSIONS = [2, 3] as const
export const RESULT_SCHEMA_VERSION = 3
/** The version of the normal form below and of its canonical JSON. Raise it with a change that alters any hash. */
export const HASH_VERSION = 1

export const CASE_STATUSES = ['pass', 'fail', 'error', 'skip', 'xfail', 'xpass'] as const
export const ASSERTION_KINDS = [
  'contains',
  'icontains',
  'icontains-any',
  'regex',
  'equals',
  'starts-with',
  'is-json',
  'contains-json',
  'length',
  'jinja',
  'exec',
  'llm-rubric',
  'cost',
  'latency',
  'tokens',
  'similar',
  'tool-call',
] as const
export const ASSERTION_STATUSES = ['pass', 'fail', 'error', 'skipped'] as const
const ROLES = ['system', 'user', 'assistant', 'tool'] as const

export type CaseStatus = (typeof CASE_STATUSES)[number]

/** One call of a tool that an output requests. */
export const toolCall = object({ id: optional(text), name: text, arguments: withDefault(json, null) })
const toolCalls = unlessEmpty(array(toolCall))

/** The tokens of one call. `input_tokens` excludes tokens read from or written to the provider's cache. */
export const usage = object({
  input_tokens: withDefault(count, 0),
  output_tokens: withDefault(count, 0),
  cache_read_tokens: optional(count),
  cache_write_tokens: optional(count),
  cache_write_1h_tokens: optional(count),
})

const textBlock = object({ type: oneOfTexts(['text']), text })
const thinkingBlock = object({ type: oneOfTexts(['thinking']), thinking: text, signature: optional(text) })
const anyBlock = object({ type: oneOfTexts(['text', 'thinking']) })
// Neither block has free-form values, so neither needs to sort keys.
const block = withSchema((value) => (anyBlock(value).type === 'text' ? textBlock(value) : thinkingBlock(value)), {
  anyOf: [textBlock.schema ?? {}, thinkingBlock.schema ?? {}],
})
const blocks = array(block)
const content = withSchema((value) => (typeof value === 'string' ? value : blocks(value)), {
  anyOf: [text.schema ?? {}, blocks.schema ?? {}],
})

const turn = object({ role: oneOfTexts(ROLES), content, tool_calls: toolCalls, tool_call_id: optional(text) })

/** The prompt sent to the provider: one text, or the turns of a conversation. */
export type Prompt = { readonly text: string } | { readonly messages: readonly Turn[] }
export type Turn = ReturnType<typeof turn>

const isPresent = (value: unknown) => value !== undefined
const eitherPrompt = object({ text: isPresent, messages: isPresent })
const textPrompt = object({ text })
const messagesPrompt = object({ messages: array(turn) })
// Both kinds are objects, and only turns have free-form values.
const prompt: ValueReader<Prompt> = withSchema(
  sortableLike(messagesPrompt, (value): Prompt => {
    const has = eitherPrompt(value)
    if (has.text === has.messages) throw mismatch('expected one of text and messages')
    return has.text ? textPrompt(value) : messagesPrompt(value)
  }),
  { anyOf: [textPrompt.schema ?? {}, messagesPrompt.schema ?? {}] },
)

const assertion = object({
  kind: oneOfTexts(ASSERTION_KINDS),
  status: oneOfTexts(ASSERTION_STATUSES),
  score: number,
  weight: number,
  reason: withDefault(text, ''),
  details: optional(json),
  criteria: optional(json),
  cached: withDefault(boolean, false),
  cost_usd: optional(number),
})

const normalCase = object({
  cell: object({
    provider_id: identity,
    prompt_id: optional(identity),
    test_id: identity,
    repeat: withDefault(count, 0),
  }),
  case_key: nonEmptyIdentity,
  name: optional(text),
  tags: unlessEmpty(array(identity)),
  vars: unlessEmpty(freeObject),
  status: oneOfTexts(CASE_STATUSES),
  score: number,
  output: optional(json),
  prompt: optional(prompt),
  request: optional(json),
  stop_reason: optional(identity),
  model: optional(text),
  tool_calls: toolCalls,
  raw: optional(json),
  asserts: withDefault(array(assertion), []),
  usage: optional(usage),
  cost_usd: optional(number),
  latency_ms: count,
  wall_ms: optional(count),
  cached: withDefault(boolean, false),
  cache_key: optional(identity),
  attempts: withDefault(count, 0),
  prompt_digest: optional(text),
  provider_digest: optional(text),
  assert_digest: optional(text),
  error: optional(text),
  error_details: optional(json),
  error_class: optional(identity),
  reasoning: optional(text),
  empty_reason: optional(identity),
  answered_by_provider_id: optional(identity),
  fallback_attempts: unlessEmpty(
    array(object({ provider_id: identity, empty_reason: optional(text), error_class: optional(text) })),
  ),
  expect_fail_reason: optional(text),
})

/** The fields of a case that a search reads. */
const searchedCase = object({
  cell: object({ test_id: identity }),
  name: optional(text),
  tags: unlessEmpty(array(identity)),
  output: optional(json),
  prompt: optional(prompt),
  asserts: withDefault(array(object({ reason: withDefault(text, '') })), []),
  error: optional(text),
})

/**
 * A case in its normal form, which is stored, hashed and returned. Its keys are sorted, except inside free-form values.
 */
export type NormalCase = ReturnType<typeof normalCase>

const texts = unlessEmpty(array(text))

const normalRun = object({
  schema_version: count,
  run_id: nonEmptyIdentity,
  project: optional(identity),
  suite: optional(identity),
  started_at: instant,
  finished_at: instant,
  config_digest: text,
  config_snapshot: json,
  git: optional(object({ branch: optional(identity), commit: optional(text), dirty: withDefault(boolean, false) })),
  ci: optional(object({ provider: optional(identity), run_url: optional(text) })),
  origin: optional(
    object({
      actor: optional(identity),
      host: optional(text),
      version: optional(text),
      note: optional(text),
      redacted: optional(boolean),
    }),
  ),
  digests: optional(
    object({
      prompts: optional(text),
      providers: optional(text),
      tests: optional(text),
      asserts: optional(text),
      grader: optional(text),
    }),
  ),
  share_url: optional(text),
  filters: withDefault(
    object({ tags: unlessEmpty(array(identity)), filters: texts, providers: texts, prompts: texts }),
    {},
  ),
  summary: object({
    total: count,
    passed: count,
    failed: count,
    errored: count,
    skipped: count,
    xfailed: unlessEmpty(count),
    xpassed: unlessEmpty(count),
    prompt_tokens: withDefault(count, 0),
    completion_tokens: withDefault(count, 0),
    cost_usd: optional(number),
    cache_hits: withDefault(count, 0),
    cache_misses: withDefault(count, 0),
    retried_cases: withDefault(count, 0),
    cache_read_tokens: unlessEmpty(count),
    cache_write_tokens: unlessEmpty(count),
    cache_savings_usd: optional(number),
    grader_cost_usd: optional(number),
    empty_counts: unlessEmpty(map(count)),
    fallback_cases: unlessEmpty(count),
  }),
})

/** A run without its cases, in its normal form. */
export type NormalRun = ReturnType<typeof normalRun>

const withCases = object({ cases: array(json) })

/** What the fields of a run document accept, in the order of their names. `describedDocument` adds what they mean. */
export const DOCUMENT_SCHEMA = {
  run: normalRun.schema ?? {},
  case: normalCase.schema ?? {},
} as const

export type Span = { readonly offset: number; readonly length: number }

export type OpenDocument = {
  readonly run: NormalRun
  /** The digest of the manifest of evidence that the document names; null if it names none. It is no part of the content. */
  readonly evidenceManifest: string | null
  readonly caseCount: number
  /** The position of a case's text in the bytes of the document. */
  caseSpan(index: number): Span
  /** Parses and checks one case. Throws InvalidDocument. Call it with ascending indexes. */
  caseAt(index: number): NormalCase
}

/**
 * Opens a run document: checks its encoding, its structure, its version and everything but the cases. `caseAt` reads
 * the cases one by one, so that memory stays flat. `maxKeys` limits the distinct keys. Throws InvalidDocument. If
 * there are several errors, it reports text that is not JSON first, then a wrong version, then a wrong shape, wherever
 * they are in the document.
 */
export const openDocument = (bytes: Uint8Array, maxKeys?: number): OpenDocument => {
  const { skeleton, exactSkeleton, caseCount, offsets, lengths, exact } = scanDocument(bytes, maxKeys)
  const source = bufferView(bytes)

  const caseSpan = (index: number): Span => {
    const [offset, length] = [offsets[index], lengths[index]]
    if (offset === undefined || length === undefined) throw new RangeError(`no case ${index} among ${caseCount}`)
    return { offset, length }
  }
  const parseCase = (index: number, isExact: boolean) => {
    const { offset, length } = caseSpan(index)
    return parse(source.toString('utf8', offset, offset + length), isExact, `cases[${index}]: `)
  }
  /** Returns the error, or throws if a case that is not parsed yet is not JSON. */
  const unlessMalformed = (error: unknown, from: number) => {
    for (let index = from; index < caseCount; index++) parseCase(index, false)
    return error
  }

  const document = parse(bufferView(skeleton).toString('utf8'), exactSkeleton)
  const checkedRun = () => {
    try {
      return readRun(document)
    } catch (error) {
      throw unlessMalformed(error, 0)
    }
  }

  return {
    run: checkedRun(),
    evidenceManifest: manifestNamedBy(document),
    caseCount,
    caseSpan,
    caseAt(index) {
      const value = parseCase(index, exact[index] === 1)
      try {
        return readAs(normalCase, value, `cases[${index}]`)
      } catch (error) {
        throw unlessMalformed(error, index + 1)
      }
    },
  }
}

/** Reads the stored text of one case, with every number as it was uploaded. */
export const readCase = (bytes: Uint8Array): NormalCase =>
  readAs(normalCase, parse(bufferView(bytes).toString('utf8'), hasInexactNumber(bytes)))

/**
 * Whether a stored case has a number that no double represents. An exact parse takes up to ten times as long as a native
 * one, the scan a seventh of the native one.
 */
const hasInexactNumber = (bytes: Uint8Array): boolean => {
  const { exactSkeleton, exact } = scanDocument(bytes, Infinity)
  return exactSkeleton || exact.includes(1)
}

/**
 * Reads a stored case for its texts: like `readCase`, but numbers elsewhere may lose digits. An exact parse takes several
 * times as long, so it is done only if a number may be part of a text.
 */
export const readCaseTexts = (bytes: Uint8Array): NormalCase => readTexts(normalCase, bytes)

const readTexts = <T>(reader: ValueReader<T>, bytes: Uint8Array): T => {
  const source = bufferView(bytes).toString('utf8')
  if (!source.includes('"tool_calls"')) {
    const value = JSON.parse(source) as { readonly output?: unknown }
    if (typeof value.output === 'string') {
      try {
        return readAs(reader, value)
      } catch {
        // A number that has no double, such as 1e999.
      }
    }
  }
  return readAs(reader, parse(source, hasInexactNumber(bytes)))
}

/** The texts of a case that a search finds, in the order in which a snippet is searched in them; and the id of its test. */
export type SearchedTexts = {
  readonly test_id: string
  readonly name: string
  readonly output: string
  readonly reasons: readonly string[]
  readonly error: string
  readonly tags: string
  readonly prompt: string
}

/** Reads a stored case for the texts that a search finds. */
export const readSearchedTexts = (bytes: Uint8Array): SearchedTexts => {
  const { cell, name, tags, output, prompt, asserts, error } = readTexts(searchedCase, bytes)
  return {
    test_id: cell.test_id,
    name: name ?? '',
    output: outputText(output) ?? '',
    reasons: asserts.map(({ reason }) => reason),
    error: error ?? '',
    tags: (tags ?? []).join(' '),
    prompt: promptProse(prompt),
  }
}

const bufferView = (bytes: Uint8Array) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)

const parse = (source: string, exact: boolean, where = ''): unknown => {
  try {
    return exact ? parseExact(source) : JSON.parse(source)
  } catch (cause) {
    if (!(cause instanceof SyntaxError)) throw cause
    // The position is removed: it counts from the start of a part, not of the document.
    const problem = cause.message.replace(/ in JSON at position .*$/s, '')
    throw malformedDocument(`${where}${problem.slice(0, 200).toWellFormed()}`, { cause })
  }
}

const readRun = (document: unknown): NormalRun => {
  const version = documentVersion(document)
  if (version === null) throw new InvalidDocument('missing_version', 'missing schema_version')
  const { min, max } = SCHEMA_WINDOW
  if (version < min || version > max) {
    const remedy =
      version < min
        ? 'the document is from an older CLI: upgrade the CLI (for one from a newer CLI, upgrade the server)'
        : 'the document is from a newer CLI: upgrade the server (for one from an older CLI, upgrade the CLI)'
    throw new InvalidDocument(
      'version',
      `schema_version ${version} is outside of the supported ${min}..=${max}: ${remedy}`,
    )
  }
  readAs(withCases, document)
  return readAs(normalRun, document)
}

/** A member of another type is an unknown one, as it was before there was evidence. */
const manifestNamedBy = (document: unknown): string | null => {
  if (typeof document !== 'object' || document === null || !('evidence_manifest' in document)) return null
  return isDigest(document.evidence_manifest) ? document.evidence_manifest : null
}

const documentVersion = (document: unknown): number | null => {
  if (typeof document !== 'object' || document === null || !('schema_version' in document)) return null
  const { schema_version } = document
  // An integer too large for a double is still a version, and outside of the window.
  const version = isRawNumber(schema_version) ? Number(schema_version.rawJSON) : schema_version
  return typeof version === 'number' && Number.isInteger(version) && version >= 0 ? version : null
}

// Only free-form values are visited: the readers create everything else with sorted keys.
const caseWithSortedKeys = (normal: NormalCase): unknown =>
  (normalCase.sortKeys as ((read: NormalCase) => unknown) | undefined)?.(normal) ?? normal

/** Hashes a normalized document case by case, in the order of the cases. */
export const contentHasher = (run: NormalRun) => {
  const hash = createHash('sha256').update('{"cases":[')
  let separator = ''

  return {
    add(normal: NormalCase): void {
      hash.update(separator + canonicalText(normal, caseWithSortedKeys(normal)), 'utf8')
      separator = ','
    },
    /** Call it once, after the last case. */
    digest(): string {
      // `cases` sorts before every key of a run, and a run always has keys, so the run's text follows after a comma.
      hash.update(`],${canonicalJson(run).slice(1)}`, 'utf8')
      return `sha256:${hash.digest('hex')}`
    },
  }
}

/** Returns the epoch milliseconds of a normalized instant, rounded down. */
export const instantMs = (normalized: string): number =>
  Date.parse(`${normalized.slice(0, 19)}Z`) + Number(normalized.slice(20, -1).slice(0, 3).padEnd(3, '0'))

/**
 * Returns the milliseconds from one normalized instant to another: the difference in full precision, then rounded down.
 * 0 if `to` is before `from`.
 */
export const durationMs = (from: string, to: string): number =>
  Math.max(0, secondsMs(to) - secondsMs(from) + Math.floor((nanosecondsOf(to) - nanosecondsOf(from)) / 1e6))

const secondsMs = (normalized: string): number => Date.parse(`${normalized.slice(0, 19)}Z`)
const nanosecondsOf = (normalized: string): number => Number(normalized.slice(20, -1).padEnd(9, '0'))

/** An output as text: a string unchanged, any other value as compact JSON, null if there is none. */
export const outputText = (output: unknown): string | null => {
  if (output === undefined || output === null) return null
  return typeof output === 'string' ? output : JSON.stringify(output)
}

/** The searchable text of a prompt: its text, or the texts and tool calls of its turns, without thinking. */
export const promptProse = (rendered: Prompt | undefined): string => {
  if (rendered === undefined) return ''
  if ('text' in rendered) return rendered.text
  return rendered.messages.flatMap(turnProse).join('\n')
}

const turnProse = ({ content, tool_calls = [] }: Turn): string[] => {
  const texts =
    typeof content === 'string' ? [content] : content.flatMap((block) => (block.type === 'text' ? [block.text] : []))
  const calls = tool_calls.map((call) => `${call.name} ${JSON.stringify(call.arguments)}`)
  return [...texts.filter((part) => part !== ''), ...calls]
}

/** Returns the first n code points of a text. It never cuts a surrogate pair. */
export const firstCodePoints = (value: string, n: number): string => {
  if (value.length <= n) return value
  let end = 0
  for (let points = 0; points < n && end < value.length; points++) end += (value.codePointAt(end) ?? 0) > 0xffff ? 2 : 1
  return value.slice(0, end)
}
