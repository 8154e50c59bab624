/** A cache of answers by key, wherever it is kept. */
export type CacheClient = {
  /** The bytes under a key, null when there are none. Throws `CacheUnavailable`. */
  readonly get: (key: string, signal?: AbortSignal) => Promise<Uint8Array | null>
  /**
   * Stores bytes unless the key has some already: true when they were stored, false when the first ones stay. Throws
   * `CacheUnavailable`.
   */
  readonly put: (key: string, bytes: Uint8Array, signal?: AbortSignal) => Promise<boolean>
}

/**
 * A cache could not tell what it holds, or did not take what it was given. The message says why, in words for a person.
 */
export class CacheUnavailable extends Error {
  override readonly name = 'CacheUnavailable'
}
