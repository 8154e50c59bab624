import { LRUCache } from 'lru-cache'
import { etagOf } from '../queries/etag.ts'
import type { LongReadAnswer } from '../queries/long-reads.ts'
import { tagGenerations, type TagGenerations } from './tag-generations.ts'

/** The headers of a response that names none. */
export const JSON_HEADERS = { 'content-type': 'application/json' } as const

/** The body of a 200, ready to be sent, and its ETag. */
export type Entry = {
  /** The pattern of the route that made the response. */
  readonly route: string
  readonly bytes: Uint8Array
  readonly etag: string
  /** Headers in the place of those of JSON. */
  readonly headers?: Readonly<Record<string, string>>
  /** The further parts of a long response, of which `bytes` is the beginning. Such a response is never cached. */
  readonly rest?: LongReadAnswer['rest']
  /** The first instant at which the response is out of date, whatever changes. */
  readonly until?: number
}

/**
 * Maximum bytes of all bodies and keys together. A page of runs is 30 KB, so the cache holds a thousand of them: enough
 * for the pages that users have open, within the memory of a small machine.
 */
const MAX_BYTES = 32 * 1024 * 1024

/** Larger bodies are rare, and a few of them would evict everything else. */
const MAX_ENTRY_BYTES = 1024 * 1024

/** Memory of an entry in addition to its body and key: its slot in the map, its tags. */
const OVERHEAD_BYTES = 512

export type Bounds = { readonly bytes: number; readonly entryBytes: number; readonly tags: number }

/** Computes a response. The signal aborts when all callers that wait for it have left. */
type Fill = (signal: AbortSignal) => Promise<Entry>
type Filling = {
  readonly generation: number
  readonly tags: readonly string[]
  readonly entry: Promise<Entry>
  readonly controller: AbortController
  waiting: number
}

export type ResponseCache = TagGenerations & {
  /** Whether the store has a commit that has not called `invalidate` yet. Until it does, no cached response may be used. */
  readonly hasUnseenCommits: () => boolean
  /** A cached response that is still valid. */
  readonly find: (key: string) => Entry | undefined
  /**
   * The response for a key: from the cache, from a running fill of the same caller that started after the last
   * invalidation, or from a new fill. Different callers never share a fill, because what a caller may see can
   * change before the fill ends.
   */
  readonly answer: (
    key: string,
    caller: string,
    tags: readonly string[],
    clientLeft: AbortSignal,
    fill: Fill,
  ) => Promise<Entry>
  /** Bytes of all entries, keys included. */
  readonly size: () => number
}

/** A body with its ETag. Text gets a buffer of its own: a slice of Node's pool would retain the whole pool. */
export const entryOf = (answer: string | LongReadAnswer, route: string): Entry => {
  const { body, etag, rest }: LongReadAnswer = typeof answer === 'string' ? { body: answer, etag: null } : answer
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body
  return { bytes, etag: etag ?? etagOf(bytes), route, ...(rest ? { rest } : {}) }
}

/**
 * Caches responses by key, each valid until one of its tags is invalidated. Failures are never cached.
 */
export const responseCache = (
  { bytes = MAX_BYTES, entryBytes = MAX_ENTRY_BYTES, tags: maxTags }: Partial<Bounds> = {},
  hasUnseenCommits: () => boolean = () => false,
  now: () => number = Date.now,
): ResponseCache => {
  type CachedEntry = Entry & { generation: number; readonly tags: readonly string[] }
  const cached = new LRUCache<string, CachedEntry>({
    maxSize: bytes,
    sizeCalculation: (entry, key) => entry.bytes.byteLength + key.length * 2 + OVERHEAD_BYTES,
  })
  const filling = new Map<string, Filling>()

  const generations = tagGenerations(maxTags)
  const { generation, isValid } = generations

  const find = (key: string): Entry | undefined => {
    if (hasUnseenCommits()) return undefined
    const entry = cached.get(key)
    if (!entry) return undefined
    if ((entry.until !== undefined && entry.until <= now()) || !isValid(entry.generation, entry.tags)) {
      cached.delete(key)
      return undefined
    }
    // The entry is valid now, so later checks ignore all invalidations up to now, even those that are forgotten by then.
    entry.generation = generation()
    return entry
  }

  const startFill = (key: string, fillKey: string, tags: readonly string[], fill: Fill): Filling => {
    // Noted before anything is read, because the response may or may not contain a later change.
    const startGeneration = generation()
    const controller = new AbortController()
    const entry = fill(controller.signal)
      .then((filled) => {
        if (!filled.rest && filled.bytes.byteLength <= entryBytes && isValid(startGeneration, tags))
          cached.set(key, { ...filled, generation: startGeneration, tags })
        return filled
      })
      .finally(() => forget(fillKey, started))
    const started: Filling = { generation: startGeneration, tags, entry, controller, waiting: 0 }
    filling.set(fillKey, started)
    return started
  }

  const forget = (fillKey: string, started: Filling): void => {
    if (filling.get(fillKey) === started) filling.delete(fillKey)
  }

  return {
    ...generations,
    invalidate: (changed) => {
      generations.invalidate(changed)
      if (changed === null) cached.clear()
    },
    find,
    hasUnseenCommits,
    answer: async (key, caller, tags, clientLeft, fill) => {
      const found = find(key)
      if (found) return found
      const fillKey = `${caller} ${key}`
      const running = filling.get(fillKey)
      const joined =
        running && isValid(running.generation, running.tags) ? running : startFill(key, fillKey, tags, fill)
      joined.waiting++
      const leave = (): void => {
        if (--joined.waiting > 0) return
        // No caller waits any more. The next one must not join an aborted fill.
        forget(fillKey, joined)
        joined.controller.abort(CLIENT_LEFT)
      }
      if (clientLeft.aborted) leave()
      else clientLeft.addEventListener('abort', leave, { once: true })
      return joined.entry
    },
    size: () => cached.calculatedSize,
  }
}

/**
 * The reason for aborting a read. All requests share one error: to create one for each, with its stack, would cost more
 * than the rest of the request.
 */
export const CLIENT_LEFT = new Error('the response was sent, or the client disconnected')
