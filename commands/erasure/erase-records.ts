import { findPartsEnd, NO_PARTS_END, type PartsEnd } from '../../queries/evidence/counts.ts'
import { findRun, type Run } from '../../queries/runs/run.ts'
import { isHeldBy, listStandingHolds, type StandingHold } from '../../queries/runs/holds.ts'
import { findBaselineOfRun } from '../../queries/sets/baselines.ts'
import {
  findLastSeq,
  isAccountKept,
  listEventsOf,
  listExistingUsers,
  listLastVersions,
  listRecordsAt,
  listRecordsOfRun,
  listRecordsOfUser,
  listRunsOfLabels,
  listStoredRuns,
  wasUser,
} from '../../queries/log/erasable.ts'
import type { Viewer } from '../../queries/access/viewer.ts'
import type { Recorded, UnlockedReader } from '../../storage/command.ts'
import { Stale } from '../../storage/errors.ts'
import { listKeptOfStreams, type Erasure } from '../../storage/log/erasures.ts'
import { streamOf } from '../../storage/log/event.ts'
import { notePendingWipe } from '../../storage/log/pending-wipes.ts'
import { recordedOf, type LogRecord } from '../../storage/log/records.ts'
import { constant } from '../../storage/sql.ts'
import type { Query, Results, Statement } from '../../storage/storage.ts'
import { deleteAnnotation, type RunAnnotated } from '../annotation/events.ts'
import { baselineUnpinned } from '../baseline/events.ts'
import { deleteCommentText, type RunCommented } from '../comment/events.ts'
import { deleteNote, type HoldPlaced } from '../hold/events.ts'
import { underHold } from '../hold/under-hold.ts'
import type { DomainEvent } from '../events.ts'
import { heavyCommand } from '../heavy-command.ts'
import type { KeyMinted } from '../key/events.ts'
import { deleteLabel } from '../principal.ts'
import { Refused } from '../refused.ts'
import { deleteLabelText } from '../review/events.ts'
import { runDeleted } from '../run/events.ts'
import { deleteSettingTexts, type SuiteSettingChanged } from '../suite/events.ts'
import {
  accountOf,
  erasableOf,
  isDeletion,
  isLabel,
  isOfPins,
  isRunRecord,
  isUpload,
  type Erasable,
  type ErasureTarget,
  type LabelledRun,
  type Uploads,
} from './erasable.ts'
import { eventErased, type EventErased } from './events.ts'

/** The maximum number of records that one commit erases, and that a request may name. */
export const MAX_ERASED = 1000

/**
 * `after` is the record up to which earlier commits of the same erasure have come; 0 in the first. With `dry_run` nothing
 * is erased.
 */
type EraseArguments = {
  readonly erasure_id: string
  readonly reference: string
  readonly target: ErasureTarget
  readonly dry_run: boolean
  readonly after: number
}

/** How much one commit erased. `next` is the `after` of the next commit, null if this was the last. */
export type ErasedPart = {
  readonly records: number
  readonly kept: number
  readonly documents: number
  readonly partsEnd: PartsEnd
  readonly next: number | null
}

/** The records that may be erased in this commit, and the end of the log when they were found. */
type Prepared = { readonly found: readonly LogRecord[]; readonly next: number | null; readonly scanned: number }

type Facts = {
  readonly last: Query<number>
  readonly later: Query<number[]>
  readonly records: Query<LogRecord[]>
  readonly run: Query<Run | null>
  readonly partsEnd: Query<PartsEnd>
  readonly baseline: Query<{ readonly project: string; readonly suite: string } | null>
  readonly isKnown: Query<boolean>
  readonly isAccountKept: Query<boolean>
  readonly users: Query<ReadonlySet<string>>
  readonly storedRuns: Query<ReadonlySet<number>>
  readonly streams: Query<Recorded[]>
  readonly keptOfStreams: Query<Erasure[]>
  readonly pins: Query<ReadonlyMap<string, number>>
  readonly holds: Query<StandingHold[]>
  readonly labelled: Query<ReadonlyMap<string, readonly LabelledRun[]>>
}

/**
 * Erases the bodies of up to 1,000 records: what a run left in the log, with the run itself and its document; what an
 * account did and what was recorded about it, with its labels; or some records by their numbers. What was erased before is
 * passed over. Refuses: not_found (the log has never seen it), conflict (a held run, an account that exists, an erasure, a
 * part of a whole).
 */
export const eraseRecords = (viewer: Viewer, args: EraseArguments) => {
  const { target, dry_run } = args
  // Erasures cannot be erased, so they do not have the address of the caller.
  const withoutAddress = { ...viewer, actor: { ...viewer.actor, address: null } }
  const command = heavyCommand(withoutAddress, {
    bytes: 0,
    prepare: (reader) => findCandidates(reader, args),

    facts: ({ found, scanned }: Prepared): Facts => {
      const events: Recorded[] = found.flatMap((record) => recordedOf(record) ?? [])
      const ofRuns = events.filter(isRunRecord)
      const streams = [
        ...new Set([
          ...ofRuns.map(({ stream }) => stream),
          ...('run_id' in target ? [streamOf('run', target.run_id)] : []),
        ]),
      ]
      return {
        last: findLastSeq,
        later: candidatesOf(target, scanned),
        records: listRecordsAt(found.map(({ seq }) => seq)),
        run: 'run_id' in target ? findRun(viewer, target.run_id) : constant(null),
        partsEnd: 'run_id' in target ? findPartsEnd(target.run_id) : constant(NO_PARTS_END),
        baseline: 'run_id' in target ? findBaselineOfRun(target.run_id) : constant(null),
        isKnown: 'user_id' in target ? wasUser(target.user_id) : constant(true),
        isAccountKept: 'user_id' in target ? isAccountKept(target.user_id) : constant(false),
        users: listExistingUsers([
          ...new Set([
            ...('user_id' in target ? [target.user_id] : []),
            ...events.flatMap((recorded) => accountOf(recorded) ?? []),
          ]),
        ]),
        storedRuns: listStoredRuns(ofRuns.map(({ data }) => data.run_no)),
        streams: listEventsOf(streams),
        keptOfStreams: listKeptOfStreams(streams),
        pins: listLastVersions([...new Set(events.filter(isOfPins).map(({ stream }) => stream))]),
        holds: listStandingHolds,
        labelled: listRunsOfLabels(events.filter(isLabel).map(({ data }) => data.label_id)),
      }
    },

    decide: (facts) => {
      const { events } = erasurePlan(facts, args)
      return dry_run ? [] : events
    },

    result: (_, prepared, facts): ErasedPart => {
      // Of a dry run nothing was recorded, so the same plan is counted in both cases.
      const { erased, documents } = erasurePlan(facts, args)
      return {
        records: erased.length,
        kept: erased.filter(({ kept }) => kept !== null).length,
        documents,
        // They go with the document.
        partsEnd: documents === 0 ? NO_PARTS_END : facts.partsEnd,
        next: prepared.next,
      }
    },
  })
  if (dry_run) return command
  // The label goes even if all records of the account were kept or erased before.
  const label = 'user_id' in target ? [deleteLabel(target.user_id)] : []
  return { ...command, statements: [notePendingWipe(args.erasure_id, args.after), ...label] }
}

/** The first numbers of the records after a position that an erasure may concern: one more than a commit erases. */
const candidatesOf = (target: ErasureTarget, after: number): Query<number[]> => {
  if ('run_id' in target) return listRecordsOfRun(streamOf('run', target.run_id), target.run_id, after, MAX_ERASED + 1)
  return 'user_id' in target ? listRecordsOfUser(target.user_id, after, MAX_ERASED + 1) : constant([])
}

/** Finds the records of one commit, outside of the lock: the log may be large, and bodies never change. */
const findCandidates = async (reader: UnlockedReader, { target, after }: EraseArguments): Promise<Prepared> => {
  const scanned = await reader.read(findLastSeq)
  const numbers =
    'seqs' in target
      ? [...new Set(target.seqs)].filter((seq) => seq > after).toSorted((a, b) => a - b)
      : await reader.read(candidatesOf(target, after))
  const page = numbers.slice(0, MAX_ERASED)
  const found = await reader.read(listRecordsAt(page))
  return { found, next: numbers.length > page.length ? (page.at(-1) ?? null) : null, scanned }
}

type Plan = {
  readonly events: readonly DomainEvent[]
  readonly erased: readonly Pick<Erasable, 'kept'>[]
  readonly documents: number
}

/** Decides on all records of one commit. */
const erasurePlan = (facts: Results<Facts>, args: EraseArguments): Plan => {
  const { target } = args
  const { last, later, records, run, baseline, isKnown, users, storedRuns, holds } = facts
  // An upload, or the deletion of the account, was recorded after the search: search again.
  if (later.length > 0) throw new Stale('records were added after the search')
  if ('seqs' in target) {
    const unknown = target.seqs.find((seq) => seq > last)
    if (unknown !== undefined) throw new Refused('not_found', `record ${unknown} not found`)
  }
  if ('user_id' in target && users.has(target.user_id)) throw new Refused('conflict', 'delete the account first')
  if (!isKnown) throw new Refused('not_found', 'user not found')
  const hold = run && holds.find((hold) => isHeldBy(hold, run))
  if (hold) throw underHold(hold.hold_id)

  const standing = records.flatMap((record) => recordedOf(record) ?? [])
  const uploads = uploadsOf(facts)
  const context = {
    target,
    storedRuns,
    users,
    holds,
    labelled: facts.labelled,
    uploads,
    pins: facts.pins,
    isAccountKept: facts.isAccountKept,
    selected: new Set('seqs' in target ? target.seqs : []),
  }
  const erased = standing.flatMap((record) => erasableOf(record, context) ?? [])
  // An earlier commit of the same erasure may have erased all that the log had about the run.
  const isSeen = erased.length > 0 || facts.streams.length > 0 || facts.keptOfStreams.length > 0
  if ('run_id' in target && args.after === 0 && !isSeen) throw new Refused('not_found', 'run not found')
  // The first commit deletes the run; after a dry run it stands. One that was uploaded since is deleted too.
  if (!run || !('run_id' in target) || (args.dry_run && args.after > 0))
    return { events: erased.map((erasable) => erasureOf(erasable, args)), erased, documents: 0 }
  const deletion = deletionOf(run, baseline)
  const events = [...deletion, ...erased.map((erasable) => erasureOf(erasable, args))]

  // The deletion itself is erased too. A kept upload stays in the log, so its deletion must stay too.
  const end = deletion.at(-1)
  if (!end) return { events, erased, documents: 1 }
  const seq = last + deletion.length
  const version = 1 + Math.max(0, ...versionsOf(facts, end.stream))
  const kept = uploads.kept.has(run.run_no) ? { data: end.data, stream: end.stream, version } : null
  // Its time is never read, because the erasure of a deletion changes no read table.
  const itself = eventErased(
    { cause: 'run', erasure_id: args.erasure_id, followed: null, kept, reference: args.reference, seq },
    { type: end.type, recorded_at: 0 },
  )
  return { events: [...events, itself], erased: [...erased, { kept }], documents: 1 }
}

const deletionOf = (run: Run, baseline: Results<Facts>['baseline']): DomainEvent[] => {
  const { document_sha256, project, run_no, suite } = run
  return [
    ...(baseline ? [baselineUnpinned({ cause: 'run_deleted', ...baseline })] : []),
    runDeleted(run.id, { cause: 'erasure', document_sha256, project, run_no, suite }),
  ]
}

const erasureCause = (target: ErasureTarget): 'run' | 'user' | 'records' => {
  if ('run_id' in target) return 'run'
  return 'user_id' in target ? 'user' : 'records'
}

const erasureOf = ({ record, kept }: Erasable, { erasure_id, reference, target }: EraseArguments): EventErased =>
  eventErased(
    {
      cause: erasureCause(target),
      erasure_id,
      followed: kept === null ? followedBy(record) : null,
      kept,
      reference,
      seq: record.seq,
    },
    record,
    textWipes(record, kept),
  )

/** The plan that an upload followed, with the number of its attempt; null for other records. */
const followedBy = (record: Recorded): EventErased['data']['followed'] => {
  if (!isUpload(record)) return null
  const { plan_id = null, attempt = null } = record.data
  return plan_id === null || attempt === null ? null : { attempt, plan_id }
}

/**
 * Deletes the label of a key, the note of a hold, a comment, the texts of a person's label, or what was added to a run or set of a suite, with the record that
 * stored it. A key that stays keeps its label.
 */
const textWipes = (record: Recorded, kept: Erasable['kept']): Statement[] => {
  const { type, data } = record
  if (isLabel(record)) return [deleteLabelText(record.data.label_id)]
  if (type === 'HoldPlaced') return [deleteNote((data as HoldPlaced['data']).hold_id)]
  if (type === 'RunAnnotated') return [deleteAnnotation((data as RunAnnotated['data']).annotation_id)]
  if (type === 'RunCommented') return [deleteCommentText((data as RunCommented['data']).comment_id)]
  if (type === 'SuiteSettingChanged') return [deleteSettingTexts((data as SuiteSettingChanged['data']).change_id)]
  return type === 'KeyMinted' && kept === null ? [deleteLabel((data as KeyMinted['data']).key_id)] : []
}

const versionsOf = ({ streams, keptOfStreams }: Results<Facts>, name: string): number[] => [
  ...streams.filter(({ stream }) => stream === name).map(({ version }) => version),
  ...keptOfStreams.flatMap(({ kept }) => (kept?.stream === name ? [kept.version] : [])),
]

/** The uploads and deletions of the runs among the records. */
const uploadsOf = ({ streams, keptOfStreams }: Results<Facts>): Uploads => {
  const ingests = streams.filter(isUpload)
  return {
    stored: new Map(
      ingests.map(({ seq, actor: { user_id }, data: { run_no } }) => [run_no, { seq, user_id }] as const),
    ),
    ends: new Map(streams.filter(isDeletion).map(({ seq, data: { run_no } }) => [run_no, seq] as const)),
    kept: new Set(
      keptOfStreams.flatMap(({ kept }) => {
        const data = kept?.data as { readonly run_no?: number; readonly case_count?: number } | undefined
        // Only an upload has cases.
        return data?.run_no !== undefined && data.case_count !== undefined ? [data.run_no] : []
      }),
    ),
  }
}
