import type { CacheWrites } from './shared-cache.ts'

/** Larger bodies are passed on alone: their memory is transferred, and each is worth a message. */
const MAX_BYTES = 16 * 1024

/** Stores bodies that are one after the other in `bytes`. Returns for each whether it was stored. */
export type PutAll = (
  keys: readonly string[],
  lengths: readonly number[],
  bytes: Uint8Array,
) => Promise<readonly boolean[]>

type Waiting = {
  readonly key: string
  readonly bytes: Uint8Array
  readonly resolve: (isFirst: boolean) => void
  readonly reject: (error: unknown) => void
}

/**
 * Passes the small bodies that arrive in one turn of the event loop to a thread in one message: a message takes as long as
 * the thread takes to store such a body.
 */
export const putInBatches = (put: CacheWrites['put'], putAll: PutAll): CacheWrites['put'] => {
  let waiting: Waiting[] = []
  const send = (): void => {
    const batch = waiting
    waiting = []
    const lengths = batch.map(({ bytes }) => bytes.length)
    const joined = new Uint8Array(lengths.reduce((sum, length) => sum + length, 0))
    let offset = 0
    for (const { bytes } of batch) {
      joined.set(bytes, offset)
      offset += bytes.length
    }
    putAll(
      batch.map(({ key }) => key),
      lengths,
      joined,
    ).then(
      (first) => batch.forEach(({ resolve }, i) => resolve(first[i] ?? false)),
      (error: unknown) => batch.forEach(({ reject }) => reject(error)),
    )
  }
  return (key, bytes) =>
    bytes.length > MAX_BYTES
      ? put(key, bytes)
      : new Promise((resolve, reject) => {
          if (waiting.push({ key, bytes, resolve, reject }) === 1) setImmediate(send)
        })
}
