import type { SigningKey } from './keys.ts'

/** How a service signs checkpoints, and where it sends them. */
export type CheckpointConfig = {
  /** The keys that sign, of one name; null if none are configured, or if the state directory has none yet. */
  readonly keys: readonly SigningKey[] | null
  /** The file of the keys that the first start creates; null if keys are configured, or have to be. */
  readonly defaultKeyFile: string | null
  /** Each record is covered by a checkpoint within this time. */
  readonly seconds: number
  /** A file to which each checkpoint is appended; null if there is none. */
  readonly file: string | null
  /** Where each checkpoint is sent. They may contain secrets. */
  readonly urls: readonly string[]
  /** The witness policy (c2sp.org/tlog-policy) and its file; null if there are no witnesses. */
  readonly policy: { readonly file: string; readonly bytes: Uint8Array } | null
}
