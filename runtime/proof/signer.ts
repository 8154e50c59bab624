import type { StoredCheckpoint, StoredCosignature } from '../../queries/log/checkpoints.ts'
import type { Reader } from '../../storage/storage.ts'

/** A checkpoint with the cosignatures that have arrived. */
export type CosignedCheckpoint = StoredCheckpoint & { readonly cosignatures: readonly StoredCosignature[] }

/** What metrics show of a signer. Times are in epoch milliseconds. */
export type SignerStatus = {
  /** The newest checkpoint that this process knows; null if there is none yet. */
  readonly newest: Pick<StoredCheckpoint, 'size' | 'signed_at'> | null
  /** Since when the newest checkpoint does not meet the witness policy; null if it does, or if there is no policy. */
  readonly unwitnessed_since: number | null
  /** Whether nothing is signed any more: an earlier checkpoint is not a prefix of the log, or the log has a new name. */
  readonly has_stopped: boolean
  /** How often a witness has refused a checkpoint because it knows another history of this log. */
  readonly witness_conflicts: number
}

/**
 * Signs checkpoints of the log. All functions that return a checkpoint reject with `Unavailable` while the tree is
 * incomplete, and after the signer has found that an earlier checkpoint is not a prefix of the log.
 */
export type CheckpointSigner = {
  /**
   * Reads what was signed: checkpoints, and the hashes and records below them. A standby may lack some of it, so nothing
   * that belongs to a checkpoint is read from another reader.
   */
  readonly reader: Reader
  /** The verifier keys with which this process signs. */
  readonly vkeys: readonly string[]
  /** The newest checkpoint, never smaller than one returned before; null if none was signed yet. */
  readonly newest: () => Promise<CosignedCheckpoint | null>
  /** The newest checkpoint whose cosignatures meet the witness policy; null if there is none or no policy. */
  readonly newestCosigned: () => Promise<CosignedCheckpoint | null>
  /**
   * A checkpoint of at least `size` records: the newest that meets the witness policy; otherwise the newest; otherwise one
   * that is signed now, at most one a second for all callers.
   */
  readonly covering: (size: number) => Promise<CosignedCheckpoint>
  /** The cosignatures of one checkpoint that are written behind its note: those of the witnesses of the present policy. */
  readonly written: (cosignatures: readonly StoredCosignature[]) => readonly StoredCosignature[]
  /** Whether there is a witness policy. Without one, no checkpoint is cosigned. */
  readonly hasPolicy: () => boolean
  readonly status: () => SignerStatus
  /** Signs a last checkpoint if the log has grown, sends it for a short time, and stops. */
  readonly close: () => Promise<void>
}
