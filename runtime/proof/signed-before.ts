import { nextOrigin } from '../../commands/log-key/origins.ts'
import { parseCheckpoint, type Checkpoint } from '../../domain/proof/checkpoint.ts'
import { ProofFailed } from '../../domain/proof/failed.ts'
import { parseNote } from '../../domain/proof/note.ts'
import { UserError } from '../../maintenance/user-error.ts'
import { findHead } from '../../storage/log/head.ts'
import type { Reader } from '../../storage/storage.ts'
import { isTreeComplete, rootAt } from '../../queries/log/tree.ts'

/** A checkpoint that was signed before, and where it is known from, as the start of a sentence. */
export type SignedBefore = Checkpoint & { readonly from: string }

/** An earlier checkpoint is not a prefix of the log. */
export class CheckpointNotInLog extends Error {
  override readonly name = 'CheckpointNotInLog'
}

/** The checkpoint of a signed note. Throws `UserError` if it is none; `from` names its source. */
export const signedBefore = (note: string, from: string): SignedBefore => {
  try {
    return { ...parseCheckpoint(parseNote(note).text), from }
  } catch (error) {
    if (!(error instanceof ProofFailed)) throw error
    throw new UserError(
      `${from} is not a checkpoint: ${error.message}. It shows what was signed before, so restore it, and delete it only if it was never one`,
      { cause: error },
    )
  }
}

/** The part of a checkpoint that must agree, as a text. */
const headText = ({ size, root }: Pick<Checkpoint, 'size' | 'root'>): string =>
  `${size}:${Buffer.from(root).toString('hex')}`

/**
 * Checks that each checkpoint is a prefix of the log, by the root of its size. While an upgrade fills the tree, roots of
 * smaller sizes cannot be computed, and only the sizes are checked. Read the checkpoints before the call. Throws
 * `CheckpointNotInLog` for the first one that is not a prefix.
 */
export const requirePrefixes = async (
  reader: Pick<Reader, 'read'>,
  checkpoints: readonly SignedBefore[],
): Promise<void> => {
  const { size: logSize, root: logRoot } = await reader.read(findHead)
  // Another reader object has another cache of nodes. A database may have been replaced by a standby with another history.
  const uncached: Pick<Reader, 'read'> = { read: (query) => reader.read(query) }
  const isComplete = await isTreeComplete(reader)
  const different = new Map(checkpoints.map((checkpoint) => [headText(checkpoint), checkpoint]))
  for (const { from, origin, size, root } of different.values()) {
    if (size < logSize && !isComplete) continue
    const actual = size > logSize ? null : size === logSize ? logRoot : await rootAt(uncached, size)
    if (actual?.equals(root)) continue
    throw new CheckpointNotInLog(
      `${from} is not a prefix of this log: it signs ${headText({ size, root })}, and the log ` +
        (actual
          ? `has ${headText({ size, root: actual })} there`
          : `ends at ${headText({ size: logSize, root: logRoot })}`) +
        '. Nothing is signed any more. An older copy may have been restored, or a standby promoted that lacked records: restore the records that belong to this checkpoint. ' +
        `If you restored an older copy on purpose, it is another log: sign it with a new key of another name, made by "ers log keygen --origin ${nextOrigin(origin)} --out FILE", and name its file in SERVICE_CHECKPOINT_KEY_FILE`,
    )
  }
}
