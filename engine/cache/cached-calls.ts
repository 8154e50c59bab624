import { messageOf } from '../../domain/plain/message-of.ts'
import { ProviderFailure } from '../providers/provider.ts'
import { plainAddress } from '../providers/wire/address.ts'
import { isErrorReason } from '../providers/wire/reported-error.ts'
import type { JsonObject } from '../json.ts'
import { CacheUnavailable } from './client.ts'
import type { CacheMode, CallCache, StoredGrading, StoredResponse } from './call-cache.ts'
import { singleFlight } from './single-flight.ts'

/** A provider call that may be answered by the cache. */
export type CachedProviderCall = {
  /** The cache key. Null: the call has none, and the cache is neither read nor written. */
  readonly key: string | null
  /** The canonical request, which the entry records. */
  readonly request: JsonObject
  readonly mode: CacheMode
  readonly providerId: string
  /** Where the call goes today: a hit that came from elsewhere is worth a warning. */
  readonly address: string | null
  readonly programDigest: () => Promise<string | null>
  /** Sends the request, with its retries. */
  readonly send: (signal: AbortSignal) => Promise<StoredResponse>
  readonly isStored: (response: StoredResponse) => boolean
}

/** A grading call that may be answered by the cache. `T` is what the grader makes of a response. */
export type CachedGradingCall<T> = {
  readonly key: string
  readonly request: JsonObject
  readonly mode: CacheMode
  /** Reads a stored entry. Throws if it is of no use: the call is then sent, with a warning. */
  readonly read: (stored: Omit<StoredGrading, 'kind'>) => T
  readonly send: (signal: AbortSignal) => Promise<{ readonly result: T; readonly stored: StoredGrading }>
}

/** A result, and whether it was read from the cache. */
export type Cached<T> = {
  readonly result: T
  readonly cached: boolean
  /** The key under which the cache was asked; null: it was not. */
  readonly key: string | null
}

/** A grading call that the cache does not answer although only the cache may. */
export class CacheMiss extends Error {
  override readonly name = 'CacheMiss'
}

export type CachedCalls = {
  /** How often the call of each key was sent and answered: calls that may use the cache alone. */
  readonly sent: ReadonlyMap<string, number>
  /**
   * Answers a provider call from the cache, or sends it and stores the response. Throws the `ProviderFailure` of the
   * call, or one of class `cache_miss` or `cache_unavailable`.
   */
  readonly respond: (call: CachedProviderCall, signal: AbortSignal) => Promise<Cached<StoredResponse>>
  /** Answers a grading call from the cache, or sends it and stores the result. Throws what `send` throws, or `CacheMiss`. */
  readonly grade: <T>(call: CachedGradingCall<T>, signal: AbortSignal) => Promise<Cached<T>>
}

/**
 * Puts a cache in front of the calls of one run. Of several equal calls at the same time, one is sent; the others wait
 * for it and then read its entry, so they count as cached, as they would one after the other. If it failed, or its
 * response is not stored, the others are sent as well. `warn` gets each kind of warning once, drift once per provider.
 */
export const cachedCalls = (cache: CallCache, warn: (message: string) => void): CachedCalls => {
  const oneAtATime = singleFlight()
  const warnOnce = oncePerTopic(warn)
  const sentKeys = new Map<string, number>()
  const countSent = (key: string): void => void sentKeys.set(key, (sentKeys.get(key) ?? 0) + 1)

  const write = async (work: Promise<void>): Promise<void> => {
    try {
      await work
    } catch (error) {
      if (!(error instanceof CacheUnavailable)) throw error
      warnOnce('write', `responses are not stored in the cache: ${error.message}`)
    }
  }

  const readResponse = async (key: string, signal: AbortSignal): Promise<StoredResponse | null> => {
    try {
      return await cache.readResponse(key, signal)
    } catch (error) {
      if (!(error instanceof CacheUnavailable)) throw error
      throw new ProviderFailure(error.message, { errorClass: 'cache_unavailable', cause: error })
    }
  }

  const respondWithKey = async (
    key: string,
    call: CachedProviderCall,
    signal: AbortSignal,
  ): Promise<Cached<StoredResponse>> => {
    const stored = await readResponse(key, signal)
    if (stored !== null && isAnswer(call, stored)) {
      await warnOfHit(warnOnce, call, stored)
      return { result: stored, cached: true, key }
    }
    if (call.mode === 'only') throw cacheMiss(key)
    const result = await call.send(signal)
    countSent(key)
    if (call.isStored(result)) await write(cache.writeResponse(key, call.request, result, signal))
    return { result, cached: false, key }
  }

  /** Returns null for a miss, and for an entry that is of no use. */
  const readGrading = async <T>(call: CachedGradingCall<T>, signal: AbortSignal): Promise<{ result: T } | null> => {
    try {
      const stored = await cache.readGrading(call.key, signal)
      return stored === null ? null : { result: call.read(stored) }
    } catch (error) {
      if (signal.aborted) throw error
      const problem = messageOf(error)
      warnOnce(`grading ${problem}`, `a grading call is repeated: ${problem}`)
      return null
    }
  }

  const gradeWithKey = async <T>(call: CachedGradingCall<T>, signal: AbortSignal): Promise<Cached<T>> => {
    const { key } = call
    const stored = await readGrading(call, signal)
    if (stored !== null) return { ...stored, cached: true, key }
    if (call.mode === 'only') throw new CacheMiss(missText(key))
    const sent = await call.send(signal)
    countSent(key)
    await write(cache.writeGrading(key, call.request, sent.stored, signal))
    return { result: sent.result, cached: false, key }
  }

  return {
    sent: sentKeys,
    respond: async (call, signal) => {
      const { key } = call
      if (call.mode === 'only' && key === null) throw cacheMiss(null)
      if (call.mode === 'off' || key === null) return { result: await call.send(signal), cached: false, key: null }
      return oneAtATime(key, signal, () => respondWithKey(key, call, signal))
    },
    grade: async (call, signal) => {
      if (call.mode === 'off') return { result: (await call.send(signal)).result, cached: false, key: null }
      return oneAtATime(call.key, signal, () => gradeWithKey(call, signal))
    },
  }
}

/**
 * Whether an entry holds an answer. Earlier versions stored answers of APIs that ended with an error; the answers of programs are always
 * replayed.
 */
const isAnswer = ({ address }: CachedProviderCall, { stop_reason }: StoredResponse): boolean =>
  address === null || !isErrorReason(stop_reason)

type WarnOnce = (topic: string, message: string) => void

const oncePerTopic = (warn: (message: string) => void): WarnOnce => {
  const topics = new Set<string>()
  return (topic, message) => {
    if (!topics.has(topic)) warn(message)
    topics.add(topic)
  }
}

/** Warns of a hit that a call would not give today: of another address or program, or against the policy. */
const warnOfHit = async (warnOnce: WarnOnce, call: CachedProviderCall, stored: StoredResponse): Promise<void> => {
  const { providerId, address } = call
  if (stored.address !== undefined && address !== null && plainAddress(stored.address) !== plainAddress(address))
    warnOnce(
      `address ${providerId}`,
      `provider ${providerId}: the cache replays responses of ${stored.address}, but base_url is ${address} now; set another cache_salt to call it`,
    )
  const digest = stored.program_digest === undefined ? null : await call.programDigest()
  if (digest !== null && digest !== stored.program_digest)
    warnOnce(
      `program ${providerId}`,
      `provider ${providerId}: the cache replays responses of another version of the program; set another cache_salt to run it`,
    )
  if (!call.isStored(stored))
    warnOnce(
      'policy',
      'the cache replays empty or refused outputs that cache.store_empty_outputs would not store today',
    )
}

const cacheMiss = (key: string | null): ProviderFailure =>
  new ProviderFailure(missText(key), { errorClass: 'cache_miss' })

const missText = (key: string | null): string =>
  key === null
    ? 'only the cache may answer, but this call has no cache key'
    : `only the cache may answer, but it has no entry ${key}`
