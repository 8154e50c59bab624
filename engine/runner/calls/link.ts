import { plainNumbers } from '../../numbers.ts'
import { cacheKey } from '../../../domain/cache/key.ts'
import type { CachedCalls } from '../../cache/cached-calls.ts'
import type { CacheMode, StoredResponse } from '../../cache/call-cache.ts'
import type { Json, JsonObject } from '../../json.ts'
import {
  ProviderFailure,
  type CallInput,
  type PreparedCall,
  type Provider,
  type ProviderResponse,
} from '../../providers/provider.ts'
import type { Redactor } from '../../providers/redactor.ts'
import { FailedCall, type CompletedCall } from '../../providers/retries.ts'
import { collectParts, type CasePart } from '../../evidence/case-parts.ts'
import type { PartsFolder } from '../../evidence/parts-folder.ts'
import type { ExpandedTest } from '../../suite/suite.ts'

/** What a case records of the call of one provider, whether it was answered or not. */
export type CallRecord = {
  readonly providerId: string
  readonly providerDigest: string
  readonly preview?: Json
  readonly cacheKey?: string
}

export type AnsweredLink = CallRecord & {
  readonly kind: 'answered'
  readonly response: StoredResponse
  readonly cached: boolean
  /** The key under which the cache was asked; null: it was not. */
  readonly key: string | null
  /** The classification of the provider, else `refusal` if a pattern of the suite matches the output. */
  readonly emptyReason: string | undefined
}

export type FailedLink = CallRecord & {
  readonly kind: 'failed'
  readonly errorClass: string
  readonly message: string
  readonly details: Json | undefined
  readonly attempts: number
  /** Files that a program gave although it failed. */
  readonly parts: readonly CasePart[]
}

export type LinkOutcome = AnsweredLink | FailedLink

/** Runs a wait that does not count towards the time of a cell. */
export type Untimed = (wait: () => Promise<void>) => Promise<void>

/** What the calls of a run share. */
export type LinkParts = {
  readonly calls: CachedCalls
  readonly cacheMode: CacheMode
  /** Sends a call, with its retries. Throws `FailedCall`. Waits for the rate limit pass through `untimed`, if given. */
  readonly send: (
    provider: Provider,
    call: PreparedCall,
    signal: AbortSignal,
    untimed?: Untimed,
  ) => Promise<CompletedCall>
  /** The cost in USD at today's prices; null if the usage or the price is not known. */
  readonly priceOf: (provider: Provider, response: ProviderResponse) => number | null
  readonly emptyReasonOf: (response: ProviderResponse) => string | undefined
  readonly isStored: (emptyReason: string | undefined) => boolean
  readonly digestOf: (provider: Provider) => string
  readonly redactor: Redactor
  /** Gets what answers have apart from JSON. */
  readonly evidence: PartsFolder
}

/** A question to one provider of a chain. */
export type LinkQuestion = {
  readonly input: CallInput
  readonly test: Pick<ExpandedTest, 'cache_salt'>
  readonly repeat: number
}

/** A call that is ready for the cache and for its provider, or the failure to prepare it. */
export type PreparedLink = {
  readonly record: CallRecord
  readonly ready:
    | { readonly call: PreparedCall; readonly key: string | null; readonly request: JsonObject | null }
    | { readonly failure: unknown }
}

/** Renders the call of one provider, and computes its key. Throws only errors of the engine itself. */
export const prepareLink = (
  parts: LinkParts,
  provider: Provider,
  { input, test, repeat }: LinkQuestion,
): PreparedLink => {
  const record = { providerId: provider.spec.id, providerDigest: parts.digestOf(provider) }
  let call: PreparedCall
  try {
    call = provider.prepare(input)
  } catch (error) {
    // Its message is that of a call, of which this was the only attempt.
    return { record, ready: { failure: error instanceof ProviderFailure ? new FailedCall(error, 1, false) : error } }
  }
  // Vars may hold a secret; neither the key nor the entry or the document may.
  const request = call.canonical === null ? null : plainNumbers(parts.redactor.json<JsonObject>(call.canonical))
  const salt = 'cache_salt' in provider.spec ? provider.spec.cache_salt : undefined
  const key =
    request === null
      ? null
      : cacheKey({
          request,
          repeat,
          ...(salt !== undefined && { provider_salt: salt }),
          ...(test.cache_salt !== undefined && { case_salt: test.cache_salt }),
        })
  const preview = parts.redactor.json(call.preview)
  return { record: { ...record, preview, ...(key !== null && { cacheKey: key }) }, ready: { call, key, request } }
}

/**
 * Asks one provider: from the cache, or with retries. A failure of the call is a result. `withoutCache`: the test
 * measures latency, and a cached response would answer for another day. Throws other errors, and the reason of the
 * signal.
 */
export const askProvider = async (
  parts: LinkParts,
  provider: Provider,
  { record: asked, ready }: PreparedLink,
  withoutCache: boolean,
  signal: AbortSignal,
): Promise<LinkOutcome> => {
  if ('failure' in ready) return failed(asked, ready.failure)
  const { call, key, request } = ready
  try {
    const answer = await parts.calls.respond(
      {
        key,
        request: request ?? {},
        mode: withoutCache ? 'off' : parts.cacheMode,
        providerId: provider.spec.id,
        address: provider.address,
        programDigest: provider.programDigest,
        send: async (sending) => storedResponse(parts, provider, await parts.send(provider, call, sending)),
        isStored: (response) => parts.isStored(parts.emptyReasonOf(response)),
      },
      signal,
    )
    const { cached } = answer
    // Also of an entry: it may be older than the knowledge of what is a secret.
    const result = withoutSecrets(answer.result, parts.redactor)
    const price = cached ? parts.priceOf(provider, result) : null
    const response = price === null ? result : { ...result, cost_usd: price }
    return { ...asked, kind: 'answered', response, cached, key: answer.key, emptyReason: parts.emptyReasonOf(response) }
  } catch (error) {
    return failed(asked, error)
  }
}

const storedResponse = async (
  parts: LinkParts,
  provider: Provider,
  { response: received, attempts, latency_ms }: CompletedCall,
): Promise<StoredResponse> => {
  const response = withMediaAsParts(withoutSecrets(received, parts.redactor), parts.evidence)
  const cost = response.cost_usd ?? parts.priceOf(provider, response)
  const programDigest = await provider.programDigest()
  return {
    ...response,
    ...(cost !== null && { cost_usd: cost }),
    attempts,
    provider_latency_ms: latency_ms,
    ...(provider.address !== null && { address: provider.address }),
    ...(programDigest !== null && { program_digest: programDigest }),
  }
}

/** A response whose `raw` names its pictures and sounds instead of having them: an entry of the cache has no large `raw`. */
const withMediaAsParts = <T extends ProviderResponse>(response: T, folder: PartsFolder): T => {
  if (response.raw === undefined) return response
  const collected = collectParts(folder, response.parts)
  const raw = collected.move(response.raw, 'output', 'answer')
  return collected.parts.length === 0 ? response : { ...response, raw, parts: collected.parts }
}

/** What a provider wrote may repeat what it was sent. */
const withoutSecrets = <T extends ProviderResponse>(
  { output, ...response }: T,
  redactor: Redactor,
): Omit<T, 'output'> & Pick<ProviderResponse, 'output'> => ({
  ...response,
  // A null is no output, as when it is read from the cache.
  ...(output !== undefined && output !== null && { output: redactor.json(output) }),
  ...(response.raw !== undefined && { raw: redactor.json(response.raw) }),
  ...(response.reasoning !== undefined && { reasoning: redactor.text(response.reasoning) }),
  ...(response.model !== undefined && { model: redactor.text(response.model) }),
  ...(response.stop_reason !== undefined && { stop_reason: redactor.text(response.stop_reason) }),
  ...(response.empty_reason !== undefined && { empty_reason: redactor.text(response.empty_reason) }),
  ...(response.parts !== undefined && {
    parts: response.parts.map((part) => ({ ...part, name: redactor.text(part.name) })),
  }),
  tool_calls: response.tool_calls.map((call) => ({
    ...call,
    ...(call.id !== undefined && { id: redactor.text(call.id) }),
    name: redactor.text(call.name),
    arguments: redactor.json(call.arguments),
  })),
})

const failed = (record: CallRecord, error: unknown): FailedLink => {
  if (!(error instanceof ProviderFailure)) throw error
  const { errorClass, message, details, parts } = error
  return {
    ...record,
    kind: 'failed',
    errorClass,
    message,
    details,
    attempts: error instanceof FailedCall ? error.attempts : 0,
    parts,
  }
}
