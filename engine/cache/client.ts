/** The longest entry in bytes: the service and the importers take no longer body. */
export const MAX_ENTRY_BYTES = 64 * 1024 * 1024

/** A cache of responses by key, whatever its location. */
export type CacheClient = {
  /** The bytes of a key, or null if there are none. Throws `CacheUnavailable`. */
  readonly get: (key: string, signal?: AbortSignal) => Promise<Uint8Array | null>
  /**
   * Stores bytes unless the key already has some. Returns true if they were stored, false if the earlier ones remain.
   * Throws `CacheUnavailable`.
   */
  readonly put: (key: string, bytes: Uint8Array, signal?: AbortSignal) => Promise<boolean>
  /** The file of a key, for messages; absent: entries are not in files of this machine. */
  readonly fileOf?: (key: string) => string
}

/** A cache could not be read or written. The message gives the reason for a person to read. */
export class CacheUnavailable extends Error {
  override readonly name = 'CacheUnavailable'
}
