import { LRUCache } from 'lru-cache'
import { ACCESS } from '../commands/tags.ts'
import type { Invalidated } from '../commands/tags.ts'
import type { Scope } from '../queries/access/viewer.ts'
import type { Restrictions } from '../queries/access/visible.ts'
import { etagOf } from '../queries/long-reads.ts'
import type { LongReadAnswer } from '../queries/long-reads.ts'
import { tagNamesOf } from './seen-tags.ts'

/** What the gates and the metrics ask of the route that made an answer: its pattern and the least scope. */
export type Origin = { readonly route: string; readonly scope: Scope | null }

/** The body of a 200, ready to be sent, and its ETag. */
export type Entry = Origin & {
  readonly bytes: Uint8Array
  readonly etag: string
  /** A long answer goes on: `bytes` are its begin. It is never cached. */
  readonly rest?: LongReadAnswer['rest']
}

/**
 * All bodies and keys together. A page of runs is 30 KB, so this holds a thousand: what people have open, while the
 * process stays within what a small machine has.
 */
const MAX_BYTES = 32 * 1024 * 1024

/** Larger bodies are rare, and a few of them would push everything else out. */
const MAX_ENTRY_BYTES = 1024 * 1024

/** What an entry costs besides its body and key: its place in the map, its tags. */
const OVERHEAD_BYTES = 512

/** Tags whose last move is known: some thousand uploads back. */
const MAX_TAGS = 10_000

export type Bounds = { readonly bytes: number; readonly entryBytes: number; readonly tags: number }

/** Makes an answer; aborted when all who wait for it have left. */
type Fill = (signal: AbortSignal) => Promise<Entry>
type Filling = {
  readonly generation: number
  readonly tags: readonly string[]
  readonly entry: Promise<Entry>
  readonly left: AbortController
  waiting: number
}

export type ResponseCache = {
  /** What carries one of these tags changed; null is everything. Told before anyone is answered of the change. */
  readonly invalidate: (what: readonly Invalidated[] | null) => void
  /**
   * From here on, a move in a set that these cover has other names than the rest, until access changes. Call it before
   * an answer depends on tags under them. Returns the same restrictions, as they are shared with others.
   */
  readonly distinguish: (restrictions: Restrictions) => Restrictions
  /** Counts what moved: noted before a read, it tells later whether the read is still right. */
  readonly generation: () => number
  /** Whether none of these tags, nor who may see what, moved since a generation. */
  readonly isValid: (generation: number, tags: readonly string[]) => boolean
  /** Whether something was committed that `moved` was not told of yet: for a moment nothing is known of any answer. */
  readonly hasUnseenCommits: () => boolean
  /** A finished answer that still holds. */
  readonly find: (key: string) => Entry | undefined
  /**
   * The answer under a key: the one there is, one that is being made for the same asker and was begun after the last
   * move, or a new one. What is being made is shared with nobody else: what its asker may see may change until it is
   * done.
   */
  readonly answer: (
    key: string,
    asker: string,
    tags: readonly string[],
    gone: AbortSignal,
    fill: Fill,
  ) => Promise<Entry>
  /** Bytes held, keys included. */
  readonly size: () => number
}

/** A body with its ETag. Text gets bytes of its own: a slice of Node's pool would keep the whole pool. */
export const entryOf = (answer: string | LongReadAnswer, { route, scope }: Origin): Entry => {
  const { body, etag, rest }: LongReadAnswer = typeof answer === 'string' ? { body: answer, etag: null } : answer
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body
  return { bytes, etag: etag ?? etagOf(bytes), route, scope, ...(rest ? { rest } : {}) }
}

/** Finished answers by key, each valid until one of its tags moves. Only answers are kept, never failures. */
export const responseCache = (
  { bytes = MAX_BYTES, entryBytes = MAX_ENTRY_BYTES, tags: mostTags = MAX_TAGS }: Partial<Bounds> = {},
  hasUnseenCommits: () => boolean = () => false,
): ResponseCache => {
  type CachedEntry = Entry & { generation: number; readonly tags: readonly string[] }
  const kept = new LRUCache<string, CachedEntry>({
    maxSize: bytes,
    sizeCalculation: (entry, key) => entry.bytes.byteLength + key.length * 2 + OVERHEAD_BYTES,
  })
  const filling = new Map<string, Filling>()

  let now = 0
  // In the order in which they moved. What is forgotten counts as moved when the last forgotten one did.
  const invalidatedAt = new Map<string, number>()
  let floor = 0

  // Those that viewers are under now, by key; mostly one. An answer made under any of before ended with them.
  const restrictions = new Map<string, Restrictions>()

  const invalidate = (what: readonly Invalidated[] | null): void => {
    now++
    if (what === null) {
      floor = now
      invalidatedAt.clear()
      kept.clear()
      restrictions.clear()
      return
    }
    const tags = tagNamesOf(what, restrictions.values())
    if (tags.has(ACCESS)) restrictions.clear()
    for (const tag of tags) {
      invalidatedAt.delete(tag)
      invalidatedAt.set(tag, now)
    }
    for (const [tag, generation] of invalidatedAt) {
      if (invalidatedAt.size <= mostTags) break
      invalidatedAt.delete(tag)
      floor = generation
    }
  }

  const heldSince = (generation: number, tag: string): boolean => (invalidatedAt.get(tag) ?? floor) <= generation
  const isValid = (generation: number, tags: readonly string[]): boolean =>
    generation === now || (heldSince(generation, ACCESS) && tags.every((tag) => heldSince(generation, tag)))

  const find = (key: string): Entry | undefined => {
    if (hasUnseenCommits()) return undefined
    const entry = kept.get(key)
    if (!entry) return undefined
    if (!isValid(entry.generation, entry.tags)) {
      kept.delete(key)
      return undefined
    }
    // So it need not be asked again of what moved until now, however much that was.
    entry.generation = now
    return entry
  }

  const begin = (key: string, flight: string, tags: readonly string[], fill: Fill): Filling => {
    // Noted before anything is read: what moves from here on may or may not be in the answer.
    const generation = now
    const left = new AbortController()
    const entry = fill(left.signal)
      .then((made) => {
        if (!made.rest && made.bytes.byteLength <= entryBytes && isValid(generation, tags))
          kept.set(key, { ...made, generation, tags })
        return made
      })
      .finally(() => forget(flight, begun))
    const begun: Filling = { generation, tags, entry, left, waiting: 0 }
    filling.set(flight, begun)
    return begun
  }

  const forget = (flight: string, begun: Filling): void => {
    if (filling.get(flight) === begun) filling.delete(flight)
  }

  return {
    invalidate,
    distinguish: (given) => {
      const held = restrictions.get(given.key) ?? given
      restrictions.set(held.key, held)
      return held
    },
    generation: () => now,
    isValid,
    find,
    hasUnseenCommits,
    answer: async (key, asker, tags, gone, fill) => {
      const known = find(key)
      if (known) return known
      const flight = `${asker} ${key}`
      const under = filling.get(flight)
      const begun = under && isValid(under.generation, under.tags) ? under : begin(key, flight, tags, fill)
      begun.waiting++
      const leave = (): void => {
        if (--begun.waiting > 0) return
        // Nobody waits for it: whoever asks next must not wait for what was given up.
        forget(flight, begun)
        begun.left.abort(CLIENT_LEFT)
      }
      if (gone.aborted) leave()
      else gone.addEventListener('abort', leave, { once: true })
      return begun.entry
    },
    size: () => kept.calculatedSize,
  }
}

/**
 * Why a read is given up: one for all, since an error of its own for each request, with its stack, would cost more than
 * the rest.
 */
export const CLIENT_LEFT = new Error('the answer is sent, or its client has left')
