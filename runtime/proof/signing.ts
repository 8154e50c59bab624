import type { Logger } from 'pino'
import { checkpointText, parseCheckpoint } from '../../domain/proof/checkpoint.ts'
import { signedNote, parseNote, signatureLine } from '../../domain/proof/note.ts'
import { Refused } from '../../commands/refused.ts'
import { SYSTEM } from '../../queries/access/viewer.ts'
import { findCheckpoint, findNewestCheckpoint, type StoredCheckpoint } from '../../queries/log/checkpoints.ts'
import { isTreeComplete, rootAt } from '../../queries/log/tree.ts'
import { Busy, Unavailable } from '../../storage/errors.ts'
import { findHead } from '../../storage/log/head.ts'
import { UserError } from '../../maintenance/user-error.ts'
import { readSigningGuards, writeSigningGuard } from '../../storage/sqlite/signing-guard.ts'
import type { Reader } from '../../storage/storage.ts'
import type { OpenService } from '../services.ts'
import type { CheckpointFile } from './checkpoint-file.ts'
import type { SigningKey } from './keys.ts'
import { CheckpointNotInLog, requirePrefixes, signedBefore, type SignedBefore } from './signed-before.ts'

export type SigningParts = Pick<OpenService, 'commit' | 'now'> & {
  /** Reads the primary: a standby may lack the newest checkpoint. */
  readonly reader: Reader
  readonly logger: Pick<Logger, 'fatal' | 'error' | 'warn' | 'info'>
  /** The file of the last signed checkpoint in the state directory; null with a database. */
  readonly guardFile: string | null
  /** The file of SERVICE_CHECKPOINT_FILE; null if there is none. */
  readonly file: CheckpointFile | null
}

/** Signs the log, but never two histories of it. */
export type Signing = {
  /**
   * Throws `CheckpointNotInLog` if an earlier checkpoint is not a prefix of the log. Before the tree is complete, only
   * checkpoints of more records than the log has are found.
   */
  readonly check: () => Promise<void>
  /**
   * Signs a checkpoint of the whole log, unless it is signed already; null for an empty log. Concurrent calls share one
   * signature. Rejects with `Unavailable` as the functions of a signer do.
   */
  readonly sign: () => Promise<StoredCheckpoint | null>
  /** The newest checkpoint, never smaller than one returned before; null if none was signed yet. */
  readonly newest: () => Promise<StoredCheckpoint | null>
  /** The newest checkpoint that this process knows. */
  readonly known: () => StoredCheckpoint | null
  /** Whether a checkpoint is of the origin that signs now. */
  readonly isOurs: (checkpoint: StoredCheckpoint) => boolean
  readonly hasStopped: () => boolean
}

/** The last checkpoints that earlier starts and other replicas have signed: of this origin, and of any. */
export const readSignedBefore = async (
  { reader, guardFile, file }: Pick<SigningParts, 'reader' | 'guardFile' | 'file'>,
  origin: string,
): Promise<SignedBefore[]> => {
  const row = await reader.read(findNewestCheckpoint)
  const guards = guardFile === null ? [] : guardsIn(guardFile)
  // Another origin may have been written to the file since this one.
  const filed = new Set(file ? [await file.last(), await file.lastOf(origin)] : [])
  return [
    ...(row ? [signedBefore(row.note, 'the newest stored checkpoint')] : []),
    ...guards.map((note) => signedBefore(note, `the checkpoint in ${guardFile}`)),
    ...[...filed].flatMap((note) =>
      note === null ? [] : [signedBefore(note, 'the last checkpoint in the file of SERVICE_CHECKPOINT_FILE')],
    ),
  ]
}

const guardsIn = (guardFile: string): string[] => {
  try {
    return readSigningGuards(guardFile)
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new UserError(`${guardFile}, which keeps what was signed, cannot be read: ${reason}`, { cause })
  }
}

/** Starts to sign with keys of one name. */
export const openSigning = (keys: readonly [SigningKey, ...SigningKey[]], parts: SigningParts): Signing => {
  const { reader, commit, now, logger, guardFile, file } = parts
  const origin = keys[0].name
  let last: StoredCheckpoint | null = null
  let stopped: Unavailable | null = null
  let pending: Promise<StoredCheckpoint | null> | null = null

  const isOurs = ({ note }: StoredCheckpoint): boolean => note.startsWith(`${origin}\n`)

  const remember = (checkpoint: StoredCheckpoint): StoredCheckpoint =>
    last && last.size > checkpoint.size ? last : (last = checkpoint)

  const requireSound = async (): Promise<void> => {
    if (stopped) throw stopped
    if (!(await isTreeComplete(reader))) throw new Busy('the tree of the log is not complete yet')
  }

  const requireHistory = async (): Promise<void> => {
    const before = await readSignedBefore(parts, origin)
    if (last) before.push(signedBefore(last.note, 'the last checkpoint of this process'))
    await requirePrefixes(
      reader,
      before.filter((checkpoint) => checkpoint.origin === origin),
    )
  }

  /** Ends all signing: an earlier checkpoint is not a prefix of the log, or another origin was adopted. */
  const stop = (error: CheckpointNotInLog | Refused): Unavailable => {
    logger.fatal(error.message)
    stopped = new Unavailable(error.message, { cause: error })
    return stopped
  }

  const append = async (checkpoint: StoredCheckpoint): Promise<void> => {
    if (!file) return
    try {
      // Sizes of another origin are those of another log.
      const filed = await file.lastOf(origin)
      if (filed !== null && signedBefore(filed, '').size >= checkpoint.size) return
      await file.append(checkpoint.note)
    } catch (err) {
      logger.error({ err }, 'SERVICE_CHECKPOINT_FILE: a checkpoint cannot be appended')
    }
  }

  const writeGuard = async (note: string): Promise<void> => {
    if (guardFile === null) return
    try {
      await writeSigningGuard(guardFile, note)
    } catch (cause) {
      const reason = cause instanceof Error ? cause.message : String(cause)
      throw new UserError(`${guardFile}, which keeps what was signed, cannot be written: ${reason}`, { cause })
    }
  }

  const signHead = async (): Promise<StoredCheckpoint | null> => {
    // Read before the head, so that the log is never behind a checkpoint of another replica.
    const newest = await reader.read(findNewestCheckpoint)
    await requireHistory()
    const { size, root } = await reader.read(findHead)
    if (size === 0) return null
    if (newest && isOurs(newest) && newest.size >= size) return newest
    if (!(await rootAt(reader, size)).equals(root))
      throw new Error(`the nodes of the tree do not give the root of the log at ${size} records: run "ers verify"`)
    const text = checkpointText({ origin, size, root })
    const note = signedNote(
      text,
      keys.map((key) => signatureLine(key.name, key.id, key.sign(text))),
    )
    await writeGuard(note)
    const seconds = Math.floor(now() / 1000)
    await commit.keepCheckpoint(SYSTEM, {
      size,
      root: root.toString('hex'),
      signed_at: seconds * 1000,
      note,
      time_line: keys[0].signWithTime(text, seconds),
    })
    // Another replica may have signed the same size first: all serve one note.
    const kept = await reader.read(findCheckpoint(size))
    if (!kept) throw new Error(`the checkpoint of ${size} records was not stored`)
    if (parseNote(kept.note).text !== text)
      throw new CheckpointNotInLog(
        `another checkpoint of ${size} records is stored already: it signs ${describe(kept)}, and the log has ${size}:${root.toString('hex')}. Nothing is signed any more: run "ers verify"`,
      )
    return kept
  }

  const sign = async (): Promise<StoredCheckpoint | null> => {
    await requireSound()
    try {
      const signed = await signHead()
      if (!signed) return null
      const checkpoint = remember(signed)
      await append(checkpoint)
      return checkpoint
    } catch (error) {
      if (error instanceof CheckpointNotInLog || error instanceof Refused) throw stop(error)
      // What shows the earlier checkpoints cannot be read or replaced: nothing is signed until it can be.
      throw error instanceof UserError ? new Unavailable(error.message, { cause: error }) : error
    }
  }

  const signOnce = (): Promise<StoredCheckpoint | null> =>
    (pending ??= sign().finally(() => {
      pending = null
    }))

  return {
    check: requireHistory,
    sign: signOnce,
    newest: async () => {
      await requireSound()
      const row = await reader.read(findNewestCheckpoint)
      if (row && isOurs(row)) return remember(row)
      // A stored checkpoint is missing: the database may have been replaced by a copy that lacks records.
      if (last) await signOnce()
      return last
    },
    known: () => last,
    isOurs,
    hasStopped: () => stopped !== null,
  }
}

/** Size and root of a stored checkpoint as its note has them. */
const describe = ({ note }: StoredCheckpoint): string => {
  const { origin, size, root } = parseCheckpoint(parseNote(note).text)
  return `${size}:${Buffer.from(root).toString('hex')} for ${origin}`
}
