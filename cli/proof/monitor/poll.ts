import { equal, toHex } from '../../../domain/proof/bytes.ts'
import { checkCheckpoint } from '../../../domain/proof/check.ts'
import type { CheckedCheckpoint, Trust } from '../../../domain/proof/check.ts'
import { ProofFailed } from '../../../domain/proof/failed.ts'
import { isConsistent } from '../../../domain/proof/merkle.ts'
import { meetsQuorum } from '../../../domain/proof/policy.ts'
import { nodeCrypto } from '../../../storage/log/proof-crypto.ts'
import type { AcceptedNotes } from './accepted-notes.ts'

import type { LogClient } from './log-client.ts'
import { consistencyFromTiles, tilePath } from './tiles.ts'

/** What a monitor works with. `wait` waits for milliseconds, `now` is in epoch milliseconds. */
export type Monitored = {
  readonly log: LogClient
  readonly trust: Trust
  readonly notes: AcceptedNotes
  readonly maxAgeMs: number
  readonly now: () => number
  readonly wait: (ms: number) => Promise<void>
}

/** Why a monitor raises an alarm. 11: another history. 14 and 20: no checkpoint of this log. 15: too few or old cosignatures. */
export type Alarm = { readonly code: 11 | 14 | 15 | 20; readonly message: string; readonly evidence: string }

type Head = { readonly size: number; readonly root: string }

/** The result of one poll. `isNew` means that a note was accepted that was not there before. */
export type Polled =
  | { readonly accepted: Head; readonly isNew: boolean }
  | { readonly alarm: Alarm; readonly accepted: Head | null; readonly seen: Head | null }

/** A served checkpoint was refused. `mayBeOld` means that a cache may have served it, so it is asked for again. */
class Refused extends Error {
  readonly code: Alarm['code']
  readonly mayBeOld: boolean
  readonly files: Readonly<Record<string, string | Buffer>>
  readonly seen: Head | null

  constructor(
    code: Alarm['code'],
    message: string,
    { seen = null, mayBeOld = false, files = {} }: Partial<Pick<Refused, 'seen' | 'mayBeOld' | 'files'>> = {},
  ) {
    super(message)
    this.code = code
    this.mayBeOld = mayBeOld
    this.files = files
    this.seen = seen
  }
}

/** A cache in front of a log may serve something older for a while, so a smaller log is asked for again. */
const ATTEMPTS = 3
const BETWEEN_MS = 5_000

/**
 * Asks a log for its newest checkpoint once, checks its signatures and the policy, and computes from tiles that it
 * continues the last accepted one. Keeps the note if it is new; an alarm keeps both notes and the tiles. A signed note is
 * kept before its tiles are read: without them it is evidence too, and later notes are compared with it. Throws
 * `LogUnavailable` if the log cannot be asked.
 */
export const poll = async (monitored: Monitored): Promise<Polled> => {
  const { notes, now, wait, trust } = monitored
  const lastNote = notes.last()
  const last = lastNote === null ? null : await checkLast(lastNote, trust)
  for (let attempt = 1; ; attempt++)
    try {
      const { note, checkpoint } = await fetchChecked(monitored)
      if (last) await compare(monitored, last, note, checkpoint)
      const isNew = note !== lastNote
      if (isNew) notes.append(note, now())
      notes.keepUnproved(null)
      return { accepted: headOf(checkpoint), isNew }
    } catch (error) {
      if (!(error instanceof Refused)) throw error
      const { code, message, files, seen } = error
      // Kept before the log is asked again: it may have shown this only once.
      const evidence = notes.keepEvidence(
        { ...(lastNote === null ? {} : { 'accepted.txt': lastNote }), ...files },
        now(),
      )
      if (!error.mayBeOld || attempt === ATTEMPTS)
        return { alarm: { code, message, evidence }, accepted: last && headOf(last), seen }
      await wait(BETWEEN_MS)
    }
}

const headOf = ({ size, root }: Pick<CheckedCheckpoint, 'size' | 'root'>): Head => ({ size, root: toHex(root) })

const withoutQuorum = ({ keys, policy }: Trust): Trust => ({ keys, policy: policy && { ...policy, quorum: null } })

/** The last accepted note is checked again: its file is on a disk that others may write. */
const checkLast = (note: string, trust: Trust): Promise<CheckedCheckpoint> =>
  checkCheckpoint(note, withoutQuorum(trust), nodeCrypto)

const fetchChecked = async ({
  log,
  trust,
  maxAgeMs,
  now,
}: Monitored): Promise<{ readonly note: string; readonly checkpoint: CheckedCheckpoint }> => {
  const note = await log.checkpoint(trust.policy !== null)
  const files = { 'served.txt': note }
  let checkpoint: CheckedCheckpoint
  try {
    checkpoint = await checkCheckpoint(note, trust, nodeCrypto)
  } catch (error) {
    if (!(error instanceof ProofFailed)) throw error
    throw new Refused(error.code === 10 ? 20 : error.code, error.message, { files })
  }
  const { policy } = trust
  if (policy && policy.quorum !== null) {
    const oldest = Math.floor((now() - maxAgeMs) / 1000)
    // Checked again with recent cosignatures alone: a frozen view of a log is consistent, and its cosignatures grow old.
    const recent = new Set(
      policy.witnesses
        .filter(({ vkey }) => checkpoint.witnesses.some(({ name, at }) => name === vkey.name && at >= oldest))
        .map(({ name }) => name),
    )
    if (!meetsQuorum(policy, recent))
      throw new Refused(15, `the cosignatures of the checkpoint of size ${checkpoint.size} are older than --max-age`, {
        files,
        seen: headOf(checkpoint),
      })
  }
  return { note, checkpoint }
}

const compare = async (
  { log, notes, trust }: Monitored,
  last: CheckedCheckpoint,
  note: string,
  next: CheckedCheckpoint,
): Promise<void> => {
  const seen = headOf(next)
  const served = { 'served.txt': note }
  if (next.origin !== last.origin)
    throw new Refused(11, `the log is ${JSON.stringify(next.origin)} now, and was ${JSON.stringify(last.origin)}`, {
      seen,
      files: served,
    })
  if (next.size < last.size)
    throw new Refused(11, `the log has ${next.size} records, and had ${last.size}`, {
      seen,
      files: served,
      mayBeOld: true,
    })
  if (next.size === last.size) {
    if (equal(next.root, last.root)) return
    throw new Refused(11, `the log has two roots for its first ${last.size} records`, {
      seen,
      files: served,
    })
  }
  const unproved = notes.unproved()
  const kept = unproved === null ? null : await checkLast(unproved, trust)
  if (unproved !== null && kept?.size === next.size && !equal(kept.root, next.root))
    throw new Refused(11, `the log has two roots for its first ${next.size} records`, {
      seen,
      files: { ...served, 'unproved.txt': unproved },
    })
  // A smaller one is shown by the next proof to be, or not to be, a part of the log: see below.
  if (unproved === null) notes.keepUnproved(note)
  if (last.size === 0) return
  const tiles: Record<string, Buffer> = {}
  const proof = await consistencyFromTiles(
    async (level, n, width) => {
      const tile = await log.tile(level, n, width)
      tiles[tilePath(level, n, width).replaceAll('/', '-')] = tile
      return tile
    },
    last.size,
    next.size,
  )
  const step = { from: last.size, to: next.size, from_root: last.root, to_root: next.root, proof }
  if (!(await isConsistent(step, nodeCrypto.sha256)))
    throw new Refused(11, `the first ${last.size} records of the log are not those that it had`, {
      seen,
      files: { ...served, ...tiles },
    })
}
