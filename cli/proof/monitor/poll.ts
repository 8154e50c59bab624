import { equal, fromUtf8, toHex } from '../../../domain/proof/bytes.ts'
import { checkCheckpoint, type CheckedCheckpoint, type Trust } from '../../../domain/proof/check.ts'
import { ProofFailed } from '../../../domain/proof/failed.ts'
import { isConsistent } from '../../../domain/proof/merkle.ts'
import { meetsQuorum } from '../../../domain/proof/policy.ts'
import { nodeCrypto } from '../../../storage/log/proof-crypto.ts'
import type { AcceptedNotes } from './accepted-notes.ts'
import type { LogClient } from './log-client.ts'
import { consistencyFromTiles, tilePath } from './tiles.ts'

/** What a monitor works with. `wait` waits for milliseconds, `now` is in epoch milliseconds. */
export type MonitorParts = {
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
export type PollResult =
  | { readonly accepted: Head; readonly isNew: boolean }
  | { readonly alarm: Alarm; readonly accepted: Head | null; readonly seen: Head | null }

/** A served checkpoint was refused. `mayBeOld` means that a cache may have served it, so it is asked for again. */
class CheckpointRefused extends Error {
  readonly code: Alarm['code']
  readonly mayBeOld: boolean
  readonly files: Readonly<Record<string, string | Buffer>>
  readonly seen: Head | null

  constructor(
    code: Alarm['code'],
    message: string,
    { seen = null, mayBeOld = false, files = {} }: Partial<Pick<CheckpointRefused, 'seen' | 'mayBeOld' | 'files'>> = {},
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
export const poll = async (monitored: MonitorParts): Promise<PollResult> => {
  const { notes, now, wait, trust } = monitored
  const lastNote = notes.last()
  const last = lastNote === null ? null : await checkLast(lastNote, trust)
  // One poll has one folder of evidence, however often it asks.
  const keepEvidence = evidenceOfPoll(notes, now)
  for (let attempt = 1; ; attempt++)
    try {
      const { note, checkpoint } = await fetchChecked(monitored)
      if (last) await compare(monitored, last, note, checkpoint)
      const isNew = !last || addsTo(last, checkpoint)
      if (isNew) notes.append(note, now())
      notes.dropUnproved()
      return { accepted: headText(checkpoint), isNew }
    } catch (error) {
      if (!(error instanceof CheckpointRefused)) throw error
      const { code, message, files, seen } = error
      // Kept before the log is asked again: it may have shown this only once.
      const evidence = keepEvidence({ ...(lastNote === null ? {} : { 'accepted.txt': lastNote }), ...files })
      if (!error.mayBeOld || attempt === ATTEMPTS)
        return { alarm: { code, message, evidence }, accepted: last && headText(last), seen }
      await wait(BETWEEN_MS)
    }
}

/** Keeps all evidence in one folder. What differs from what an earlier attempt showed gets a name of its own. */
const evidenceOfPoll = ({ keepEvidence }: AcceptedNotes, now: () => number) => {
  let since: number | null = null
  const kept: Record<string, string | Buffer> = {}
  return (files: Readonly<Record<string, string | Buffer>>): string => {
    for (const [name, content] of Object.entries(files)) {
      let free = name
      for (let n = 2; free in kept && !sameContent(kept[free], content); n++)
        free = name.replace(/(?=\.|$)/, `-again-${n}`)
      kept[free] = content
    }
    since ??= now()
    return keepEvidence(kept, since)
  }
}

const sameContent = (a: string | Buffer | undefined, b: string | Buffer): boolean =>
  a !== undefined && Buffer.from(a).equals(Buffer.from(b))

/** Whether a checkpoint has another head, or a trusted signature that the last accepted one has not. Anyone can add others. */
const addsTo = (last: CheckedCheckpoint, next: CheckedCheckpoint): boolean =>
  next.size !== last.size ||
  next.signed_by.some((vkey) => !last.signed_by.includes(vkey)) ||
  next.witnesses.some(({ vkey, at }) => !last.witnesses.some((witness) => witness.vkey === vkey && witness.at === at))

const headText = ({ size, root }: Pick<CheckedCheckpoint, 'size' | 'root'>): Head => ({ size, root: toHex(root) })

const withoutQuorum = ({ keys, policy }: Trust): Trust => ({ keys, policy: policy && { ...policy, quorum: null } })

/** The last accepted note is checked again: its file is on a disk that others may write. */
const checkLast = (note: string, trust: Trust): Promise<CheckedCheckpoint> =>
  checkCheckpoint(note, withoutQuorum(trust), nodeCrypto)

const fetchChecked = async ({
  log,
  trust,
  maxAgeMs,
  now,
}: MonitorParts): Promise<{ readonly note: string; readonly checkpoint: CheckedCheckpoint }> => {
  const bytes = await log.checkpoint(trust.policy !== null)
  const files = { 'served.txt': bytes }
  const note = fromUtf8(bytes)
  if (note === null) throw new CheckpointRefused(20, 'the note is not UTF-8 text', { files })
  let checkpoint: CheckedCheckpoint
  try {
    checkpoint = await checkCheckpoint(note, trust, nodeCrypto)
  } catch (error) {
    if (!(error instanceof ProofFailed)) throw error
    throw new CheckpointRefused(error.code === 10 ? 20 : error.code, error.message, { files })
  }
  if (checkpoint.size === 0 && !equal(checkpoint.root, nodeCrypto.sha256(Buffer.of())))
    throw new CheckpointRefused(11, 'the root of the log is not that of an empty one, although it has 0 records', {
      files,
      seen: headText(checkpoint),
    })
  const { policy } = trust
  if (policy && policy.quorum !== null) {
    const oldest = Math.floor((now() - maxAgeMs) / 1000)
    // Checked again with recent cosignatures alone: a frozen view of a log is consistent, and its cosignatures grow old.
    const recent = new Set(
      policy.witnesses
        .filter(({ vkey }) =>
          checkpoint.witnesses.some((witness) => witness.vkey === vkey.text && witness.at >= oldest),
        )
        .map(({ name }) => name),
    )
    if (!meetsQuorum(policy, recent))
      throw new CheckpointRefused(
        15,
        `the cosignatures of the checkpoint of size ${checkpoint.size} are older than --max-age`,
        {
          files,
          seen: headText(checkpoint),
        },
      )
  }
  return { note, checkpoint }
}

/** Compares a served checkpoint with the last accepted one, and with those that were served without their tiles. */
const compare = async (
  { log, notes, trust }: MonitorParts,
  last: CheckedCheckpoint,
  note: string,
  next: CheckedCheckpoint,
): Promise<void> => {
  const earlier = [{ earlier: last, files: { 'served.txt': note } as Readonly<Record<string, string>> }]
  for (const [n, text] of notes.unproved().entries())
    earlier.push({
      earlier: await checkLast(text, trust),
      files: { 'served.txt': note, [`served-before-${n + 1}.txt`]: text },
    })
  for (const { earlier: before, files } of earlier) compareHeads(before, next, files)
  if (next.size === last.size) return
  if (!earlier.some(({ earlier: before }) => before.size === next.size)) await notes.keepUnproved(note)

  const tiles = new Map<string, Promise<Buffer>>()
  const read: Record<string, Buffer> = {}
  const fetchTile = async (level: number, n: number, width: number): Promise<Buffer> => {
    const path = tilePath(level, n, width)
    const tile = tiles.get(path) ?? log.tile(level, n, width)
    tiles.set(path, tile)
    return (read[path.replaceAll('/', '-')] = await tile)
  }
  for (const { earlier: before, files } of earlier) {
    if (before.size === 0 || before.size === next.size) continue
    const proof = await consistencyFromTiles(fetchTile, before.size, next.size)
    const step = { from: before.size, to: next.size, from_root: before.root, to_root: next.root, proof }
    if (!(await isConsistent(step, nodeCrypto.sha256)))
      throw new CheckpointRefused(11, `the first ${before.size} records of the log are not those that it had`, {
        seen: headText(next),
        files: { ...files, ...read },
      })
  }
}

const compareHeads = (
  before: CheckedCheckpoint,
  next: CheckedCheckpoint,
  files: Readonly<Record<string, string>>,
): void => {
  const seen = headText(next)
  if (next.origin !== before.origin)
    throw new CheckpointRefused(
      11,
      `the log is ${JSON.stringify(next.origin)} now, and was ${JSON.stringify(before.origin)}`,
      {
        seen,
        files,
      },
    )
  if (next.size < before.size)
    throw new CheckpointRefused(11, `the log has ${next.size} records, and had ${before.size}`, {
      seen,
      files,
      mayBeOld: true,
    })
  if (next.size === before.size && !equal(next.root, before.root))
    throw new CheckpointRefused(11, `the log has two roots for its first ${before.size} records`, { seen, files })
}
