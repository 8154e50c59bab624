import type { Recorded } from '../../storage/command.ts'
import type { KeptBody } from '../../storage/log/erasures.ts'
import { streamOf } from '../../storage/log/event.ts'
import { isHeldBy, type StandingHold } from '../../queries/runs/holds.ts'
import type { RunAnnotated } from '../annotation/events.ts'
import type { CommentEvent } from '../comment/events.ts'
import type { ErasureClass } from '../event-type.ts'
import { findEventType } from '../events.ts'
import type { ErasedLabelData, ItemAdjudicated, LabelGiven } from '../review/events.ts'
import { underHold } from '../hold/under-hold.ts'
import type { RunDeleted, RunEvent, RunIngested } from '../run/events.ts'
import { Refused } from '../refused.ts'

/** What is erased: all records of a run, all of an account, or some records by their numbers. */
export type ErasureTarget =
  | { readonly run_id: string }
  | { readonly user_id: string }
  | { readonly seqs: readonly number[] }

/** What decides whether and how a record is erased, read under the lock. */
export type ErasureContext = {
  readonly target: ErasureTarget
  /** The numbers of the stored runs among the records. */
  readonly storedRuns: ReadonlySet<number>
  /** The accounts among the records that exist. */
  readonly users: ReadonlySet<string>
  /** Whether an earlier erasure kept facts about the account whose records are erased. */
  readonly isAccountKept: boolean
  readonly holds: readonly StandingHold[]
  /** The runs of the labels among the records, by the id of the label. */
  readonly labelled: ReadonlyMap<string, readonly LabelledRun[]>
  /** The last versions of the streams of pins among the records. */
  readonly pins: ReadonlyMap<string, number>
  /** The ends of runs among `selected` records and, of the runs among them, the uploads that are not erased as a whole. */
  readonly uploads: Uploads
  /** The numbers that the request names, and those of records that were erased before. */
  readonly selected: ReadonlySet<number>
}

/** The set of a label, and the id of its run; empty if the run is gone. */
export type LabelledRun = { readonly id: string; readonly project: string; readonly suite: string }

/**
 * The uploads of some runs by their number in `run_no`: the record, and the account that uploaded. `kept` are the uploads
 * whose facts an earlier erasure kept, `ends` the records of their deletions.
 */
export type Uploads = {
  readonly stored: ReadonlyMap<number, { readonly seq: number; readonly user_id: string | null }>
  readonly kept: ReadonlySet<number>
  readonly ends: ReadonlyMap<number, number>
}

const erasureClass = ({ type }: Pick<Recorded, 'type'>): ErasureClass => findEventType(type)?.erasure ?? 'facts'
const isOfAccount = (record: Recorded): boolean => ['account', 'account end'].includes(erasureClass(record))

/** The account that a record is about; null if it is about none. */
export const accountOf = (record: Recorded): string | null =>
  isOfAccount(record) ? ((record.data as { readonly user_id?: string | null }).user_id ?? null) : null

/** Whether the record is an upload or a deletion of a run. */
export const isRunRecord = (recorded: Recorded): recorded is Recorded<RunEvent> => erasureClass(recorded) === 'run'
export const isUpload = (recorded: Recorded): recorded is Recorded<RunIngested> => recorded.type === 'RunIngested'
export const isDeletion = (recorded: Recorded): recorded is Recorded<RunDeleted> => recorded.type === 'RunDeleted'

/** Whether the record is about one run: its upload, its deletion, or what people added to it. */
const isInRunStream = (record: Recorded): record is Recorded<RunEvent | RunAnnotated | CommentEvent> =>
  record.stream.startsWith(streamOf('run', ''))

/** Whether the record is a label of a person, or of an adjudicator. */
export const isLabel = (record: Recorded): record is Recorded<LabelGiven | ItemAdjudicated> =>
  record.type === 'LabelGiven' || record.type === 'ItemAdjudicated'

/** The id of the run that a stream belongs to. */
const streamRunId = (stream: string): string => decodeURIComponent(stream.slice(streamOf('run', '').length))

/** An erasure of one record: what is kept of it. */
export type Erasable = { readonly record: Recorded; readonly kept: KeptBody | null }

const keptFacts = ({ data, stream, version }: Recorded): KeptBody => ({ data, stream, version })

/**
 * Decides how one stored record is erased; null if the target does not contain it. Facts are kept if a read table, or a
 * record that stays, needs them. Refuses: conflict (a held run, an erasure, a part of a whole).
 */
export const erasableOf = (record: Recorded, context: ErasureContext): Erasable | null => {
  const { target } = context
  if (erasureClass(record) === 'never') {
    if ('seqs' in target) throw new Refused('conflict', `record ${record.seq} is an erasure, which cannot be erased`)
    return null
  }
  if ('run_id' in target && !isOfRun(record, target.run_id)) return null
  if ('user_id' in target && !isOfUser(record, target.user_id)) return null
  if (isRunRecord(record)) return ofRun(record, context)
  // What people added to a held run is held with it.
  if (isInRunStream(record)) refuseHeld(record, context)
  if (isLabel(record)) return ofLabel(record, context)
  if ('run_id' in target) return { record, kept: null }
  const account = accountOf(record)
  if (account === null) return { record, kept: isNeeded(record, context) ? keptFacts(record) : null }
  if ('user_id' in target) {
    const isKept = account !== target.user_id || (context.isAccountKept && erasureClass(record) === 'account end')
    return { record, kept: isKept ? keptFacts(record) : null }
  }
  // A grant to an account that stays is an act on a run set. Everything else belongs to the account.
  const exists = context.users.has(account)
  if (exists && (record.type === 'AccessGranted' || record.type === 'AccessRevoked'))
    return { record, kept: keptFacts(record) }
  if (exists) throw new Refused('conflict', `record ${record.seq} belongs to an account: delete the account first`)
  throw new Refused('conflict', `record ${record.seq} is a part of the records of an account: erase the account`)
}

/** Whether a read table needs a record that belongs to no account. A later pin or its end replaces a pin. */
const isNeeded = (record: Recorded, { pins }: ErasureContext): boolean =>
  !isOfAccount(record) && !(isOfPins(record) && record.version < (pins.get(record.stream) ?? 0))

export const isOfPins = (record: Recorded): boolean => erasureClass(record) === 'pin'

const isOfRun = ({ type, stream, data }: Recorded, run_id: string): boolean =>
  stream === streamOf('run', run_id) ||
  // Labels are found by their run.
  type === 'LabelGiven' ||
  type === 'ItemAdjudicated' ||
  (type === 'BaselinePinned' && (data as { readonly run_id: string }).run_id === run_id)

const isOfUser = (record: Recorded, user_id: string): boolean =>
  record.actor.user_id === user_id || accountOf(record) === user_id

/** A label stays when its account is erased, without a name. Otherwise only that there was one is kept, so that sums can say it. */
const ofLabel = (
  record: Recorded<LabelGiven | ItemAdjudicated>,
  { target, holds, labelled }: ErasureContext,
): Erasable => {
  const { label_id, queue_id, n, person, revises } = record.data
  const runs = labelled.get(label_id) ?? []
  const hold = holds.find((each) => runs.some((run) => isHeldBy(each, run)))
  if (hold) throw underHold(hold.hold_id)
  if ('user_id' in target) return { record, kept: keptFacts(record) }
  const data: ErasedLabelData = { label_id, queue_id, n, person, revises, erased: true }
  return { record, kept: { ...keptFacts(record), data } }
}

/** An upload or a deletion. Nothing is kept of a run that is gone, except a deletion whose upload stays or was kept. */
const ofRun = (record: Recorded<RunEvent>, context: ErasureContext): Erasable => {
  const { target, storedRuns, uploads, selected } = context
  const { run_no } = record.data
  refuseHeld(record, context)
  if (storedRuns.has(run_no) && !('run_id' in target)) return { record, kept: keptFacts(record) }
  const upload = uploads.stored.get(run_no)
  const end = uploads.ends.get(run_no)
  const isKept = uploads.kept.has(run_no)
  if ('seqs' in target) {
    const parts = [upload?.seq, end].filter((seq) => seq !== undefined)
    if (!isKept && !parts.every((seq) => selected.has(seq)))
      throw new Refused('conflict', `record ${record.seq} is a part of the records of a deleted run: erase the run`)
  }
  if (!isDeletion(record)) return { record, kept: null }
  const staysUploaded = 'user_id' in target && upload !== undefined && upload.user_id !== target.user_id
  return { record, kept: isKept || staysUploaded ? keptFacts(record) : null }
}

const refuseHeld = (
  { stream, data: { project, suite } }: Recorded<RunEvent | RunAnnotated | CommentEvent>,
  { holds }: ErasureContext,
): void => {
  const hold = holds.find((hold) => isHeldBy(hold, { id: streamRunId(stream), project, suite }))
  if (hold) throw underHold(hold.hold_id)
}
