import { hash } from 'node:crypto'
import { z } from 'zod'
import { findAnnotationTexts, type RunAnnotated } from '../commands/annotation/events.ts'
import { findCommentText, type RunCommented } from '../commands/comment/events.ts'
import type { EventErased } from '../commands/erasure/events.ts'
import type { EvidenceAttached, RunDeleted, RunIngested } from '../commands/run/events.ts'
import { storedRun } from '../commands/run/stored-run.ts'
import { findSettingTexts, type SuiteSettingChanged } from '../commands/suite/events.ts'
import { readManifest, type EvidenceData, type Manifest } from '../domain/evidence/manifest.ts'
import { prepareRun } from '../domain/run/prepare.ts'
import type { Recorded } from '../storage/command.ts'
import { ask, noSteps, write, type Steps } from '../storage/commit/steps.ts'
import { DocumentDamaged, DocumentMissing } from '../storage/documents/errors.ts'
import { listFrames, rawFrame, type Frame } from '../storage/documents/frames.ts'
import { DocumentAway, type MovedDocuments } from '../storage/objects/moved-documents.ts'
import { listDocumentPieces } from '../storage/objects/run-objects.ts'
import { listErasures, recordedOrKept } from '../storage/log/erasures.ts'
import { findPartOfRun, listPartFrames } from '../storage/objects/rows.ts'
import { findRecord, listRecords, listRecordsOf, type LogRecord } from '../storage/log/records.ts'
import { any, mapped, one, sql, statement } from '../storage/sql.ts'
import type { Query } from '../storage/storage.ts'
import { accounts } from './accounts.ts'
import { project, projectDeletedRun, projections } from './index.ts'
import { needDocuments } from './models.ts'
import type { Projection } from './projection.ts'

/** The limits of one batch, which is one transaction: an interrupted replay loses at most one batch. */
export const MAX_BATCH = { records: 500, bytes: 64 * 1024 * 1024 }

type Limits = typeof MAX_BATCH

/** An event as it is replayed, with what a handler reads of it. `withoutDocument`: an upload whose document is not read. */
export type ReplayedEvent = { readonly recorded: Recorded; readonly withoutDocument: boolean }

/** The progress of a replay: the last replayed record and the number of records. */
export type ReplayPosition = { readonly position: number; readonly size: number }

/** A part of the log that was read before the transaction that replays it. Plain data, because threads pass it on. */
export type ReadBatch = ReplayPosition & { readonly events: readonly ReplayedEvent[] }

type ReadOptions = {
  readonly models?: readonly Projection[]
  readonly batch?: Limits
  /** A batch ends at this position. */
  readonly stopAt?: number
  /** Also prepares the rows of the search index of PostgreSQL. */
  readonly withVectors?: boolean
  /** Documents that were moved into objects, and fetched. */
  readonly moved?: Pick<MovedDocuments, 'get'> | undefined
}

/**
 * Reads the log after a position for a replay into read models (default: all), a batch per call, and passes each event
 * to `visit`. A batch must be read from one snapshot; the log may grow between two batches. If a run is deleted later in
 * the log, its deletion is left out, and its document is not read. Of an erased record only what was kept is read, by an
 * actor of kind `erased`. Throws `DocumentMissing` if a document is missing and no deletion is recorded,
 * `DocumentDamaged` if a document differs from the recorded one, and `DocumentAway` if one must be fetched first.
 */
const logReader = (
  after: number,
  { models = projections, batch = MAX_BATCH, stopAt = 0, withVectors = false, moved }: ReadOptions,
): ((visit: (event: ReplayedEvent) => Steps<void>) => Steps<ReplayPosition>) => {
  const needsDocuments = needDocuments(models)
  const deleted = deletedRuns(after)
  const skippedRuns = new Set<number>()
  let position = after

  /** Reads what belongs to an event and passes it on. Returns the bytes of its document. */
  function* read(recorded: Recorded, visit: (event: ReplayedEvent) => Steps<void>): Steps<number> {
    if (isIngest(recorded) && needsDocuments) {
      const { run_no, document_bytes } = recorded.data
      const isOfDeletedRun = deleted.has(run_no)
      if (isOfDeletedRun) skippedRuns.add(run_no)
      const attached = isOfDeletedRun ? {} : { attached: yield* replayedRun(recorded, withVectors, moved) }
      yield* visit({ recorded: { ...recorded, ...attached }, withoutDocument: isOfDeletedRun })
      return isOfDeletedRun ? 0 : document_bytes
    }
    // Left out only together with its ingest: a run ingested before the position may be in the tables.
    if (isDeletion(recorded) && skippedRuns.delete(recorded.data.run_no)) return 0
    const attached = yield* attachedTo(recorded)
    yield* visit({ recorded: { ...recorded, ...attached }, withoutDocument: isIngest(recorded) })
    return 0
  }

  return function* (visit) {
    if (needsDocuments) yield* deleted.refresh()
    const { seq: size } = yield* ask(one(sql.type(Seq)`SELECT coalesce(max(seq), 0) AS seq FROM events`))
    let bytes = 0
    const records = position < stopAt ? Math.min(batch.records, stopAt - position) : batch.records
    for (const { seq, recorded } of yield* standingEvents(yield* ask(listRecords(position, records)))) {
      if (recorded) bytes += yield* read(recorded, visit)
      position = seq
      if (bytes >= batch.bytes) break
    }
    return { position, size }
  }
}

/** Like a replay, but only reads: each call returns the next batch, to be replayed by `replayBatch`. */
export const readBatches = (after: number, options: ReadOptions): (() => Steps<ReadBatch>) => {
  const read = logReader(after, options)
  return function* () {
    const events: ReplayedEvent[] = []
    const reached = yield* read((event) => {
      events.push(event)
      return noSteps()
    })
    return { ...reached, events }
  }
}

type Options = Omit<ReadOptions, 'withVectors'> & {
  /**
   * Runs before the first deletion is applied, for example to create indexes: a deletion searches rows. A replay from
   * the start applies no deletion.
   */
  readonly beforeFirstDeletion?: () => Steps<void>
}

export type Replay = {
  /**
   * Replays the next records in an open transaction and returns the new position. After a rollback, do not use this
   * object again: create a new replay from the position of the tables.
   */
  readonly next: () => Steps<ReplayPosition>
  /** Replays a batch that was read before and starts at the position of the tables. */
  readonly replay: (batch: ReadBatch) => Steps<ReplayPosition>
}

/**
 * Replays the records after a position into tables of read models (default: all) that contain the log up to it, one
 * batch per step.
 */
export const replayFrom = (
  after: number,
  { beforeFirstDeletion = noSteps, models = projections, ...options }: Options = {},
): Replay => {
  const read = logReader(after, { ...options, models })
  let deletions = 0

  function* apply({ recorded, withoutDocument }: ReplayedEvent): Steps<void> {
    if (isDeletion(recorded) && deletions++ === 0) yield* beforeFirstDeletion()
    const changes = withoutDocument ? projectDeletedRun(recorded, models) : project(recorded, models)
    for (const change of changes) yield* write(change)
  }
  function* end({ position, size }: ReplayPosition): Steps<ReplayPosition> {
    if (position === size && models.includes(accounts)) yield* deleteEndedSessions()
    return { position, size }
  }

  return {
    *next() {
      return yield* end(yield* read(apply))
    },
    *replay({ events, ...reached }) {
      for (const event of events) yield* apply(event)
      return yield* end(reached)
    },
  }
}

const isIngest = (recorded: Recorded): recorded is Recorded<RunIngested> => recorded.type === 'RunIngested'
const isErasure = (recorded: Recorded): recorded is Recorded<EventErased> => recorded.type === 'EventErased'
const isDeletion = (recorded: Recorded): recorded is Recorded<RunDeleted> => recorded.type === 'RunDeleted'
const isSetting = (recorded: Recorded): recorded is Recorded<SuiteSettingChanged> =>
  recorded.type === 'SuiteSettingChanged'
const isAttachment = (recorded: Recorded): recorded is Recorded<EvidenceAttached> =>
  recorded.type === 'EvidenceAttached'
const isAnnotation = (recorded: Recorded): recorded is Recorded<RunAnnotated> => recorded.type === 'RunAnnotated'
const isComment = (recorded: Recorded): recorded is Recorded<RunCommented> => recorded.type === 'RunCommented'

/** What else a handler reads of an event: the record that was erased, or the texts of people that are stored for it. */
function* attachedTo(recorded: Recorded): Steps<Pick<Recorded, 'attached'>> {
  if (isErasure(recorded)) return { attached: yield* ask(findRecord(recorded.data.seq)) }
  if (isIngest(recorded)) {
    const { evidence, run_no } = recorded.data
    return evidence ? { attached: { manifest: yield* replayedManifest(recorded, run_no, evidence) } } : {}
  }
  if (isAttachment(recorded))
    return { attached: yield* replayedManifest(recorded, recorded.data.run_no, recorded.data) }
  if (isAnnotation(recorded)) return { attached: yield* ask(findAnnotationTexts(recorded.data.annotation_id)) }
  if (isComment(recorded)) return { attached: yield* ask(findCommentText(recorded.data.comment_id)) }
  if (isSetting(recorded)) return { attached: yield* ask(findSettingTexts(recorded.data.change_id)) }
  return {}
}

/** The event of each record; null if its body was erased and nothing was kept. */
function* standingEvents(
  records: readonly LogRecord[],
): Steps<Array<{ readonly seq: number; readonly recorded: Recorded | null }>> {
  const erased = records.filter(({ body }) => body === null).map(({ seq }) => seq)
  const [first, last] = [erased[0], erased.at(-1)]
  const erasures = first === undefined || last === undefined ? [] : yield* ask(listErasures(first, last))
  const keptBySeq = new Map(erasures.map(({ seq, kept }) => [seq, kept]))
  return records.map((record) => ({ seq: record.seq, recorded: recordedOrKept(record, keptBySeq) }))
}

const findErasedSignIn = mapped(
  one(sql.type(z.object({ n: z.number() }))`
    SELECT count(*) AS n FROM (
      SELECT e.seq FROM events e
      WHERE e.type = 'SignedIn' AND NOT EXISTS (SELECT 1 FROM event_bodies b WHERE b.seq = e.seq) LIMIT 1) first`),
  ({ n }) => n > 0,
)
const TokenRow = z.object({ session_id: z.string() })

/** The maximum number of sessions that one statement names. */
const MAX_NAMED = 5000

const listTokens = (after: string): Query<string[]> =>
  mapped(
    any(
      sql.type(TokenRow)`
        SELECT session_id FROM session_tokens
        WHERE session_id > ${after}
        ORDER BY session_id LIMIT ${MAX_NAMED}`,
    ),
    (rows) => rows.map(({ session_id }) => session_id),
  )

/**
 * At the end of the log: deletes the sessions without a token, if a sign-in was erased. A sign-in also deletes expired
 * sessions of other accounts, and an erased one does not say which. Those that it deleted have no token.
 */
function* deleteEndedSessions(): Steps<void> {
  if (!(yield* ask(findErasedSignIn))) return
  for (let after = ''; ;) {
    const ids = yield* ask(listTokens(after))
    const isLast = ids.length < MAX_NAMED
    const last = ids.at(-1)
    const range = [
      sql.fragment`id > ${after}`,
      ...(isLast || last === undefined ? [] : [sql.fragment`id < ${last}`]),
      ...(ids.length === 0 ? [] : [sql.fragment`id NOT IN (${sql.join(ids, sql.fragment`, `)})`]),
    ]
    yield* write(statement`DELETE FROM sessions WHERE ${sql.and(range)}`)
    if (isLast || last === undefined) return
    after = last
  }
}

/** The document of an upload, and the manifest that it named. */
function* replayedRun(
  recorded: Recorded<RunIngested>,
  withVectors: boolean,
  moved: ReadOptions['moved'],
): Steps<NonNullable<RunIngested['attached']>> {
  const document = storedRun(prepareRun(yield* replayedDocument(recorded, moved), recorded.data), { withVectors })
  const { evidence, run_no } = recorded.data
  return evidence ? { ...document, manifest: yield* replayedManifest(recorded, run_no, evidence) } : document
}

/** A manifest as it was recorded; null if its run is gone, with its parts. */
function* replayedManifest(
  { seq, stream }: Recorded,
  run_no: number,
  { manifest_sha256, manifest_bytes }: EvidenceData,
): Steps<Manifest | null> {
  const part_no = yield* ask(findPartOfRun(run_no, manifest_sha256))
  if (part_no === null) return null
  const frames = yield* ask(listPartFrames(part_no))
  const bytes = Buffer.concat(frames.map((frame) => unpacked(frame, seq, stream)))
  if (bytes.length !== manifest_bytes)
    throw new DocumentMissing(`event ${seq} (${stream}): its manifest is missing and no deletion is recorded`)
  if (hash('sha256', bytes, 'hex') !== manifest_sha256)
    throw new DocumentDamaged(`event ${seq} (${stream}): its manifest does not have the digest that was recorded`)
  return readManifest(bytes)
}

function* replayedDocument(
  { seq, stream, data: { run_no, document_bytes, document_sha256 } }: Recorded<RunIngested>,
  moved: ReadOptions['moved'],
): Steps<Buffer> {
  const frames = yield* ask(listFrames(run_no, 0, Number.MAX_SAFE_INTEGER))
  const fetched = frames.length === 0 ? moved?.get(run_no) : undefined
  if (frames.length === 0 && !fetched && (yield* ask(listDocumentPieces(run_no))).length > 0)
    throw new DocumentAway(run_no)
  const document = fetched ?? Buffer.concat(frames.map((frame) => unpacked(frame, seq, stream)))
  if (document.length !== document_bytes)
    throw new DocumentMissing(`event ${seq} (${stream}): its document is missing and no deletion is recorded`)
  // An altered document must not enter the tables as if it had been recorded.
  if (hash('sha256', document, 'hex') !== document_sha256)
    throw new DocumentDamaged(`event ${seq} (${stream}): its document does not have the digest that was recorded`)
  return document
}

const unpacked = (frame: Frame, seq: number, stream: string): Buffer => {
  try {
    return rawFrame(frame)
  } catch (cause) {
    throw new DocumentDamaged(`event ${seq} (${stream}): frame ${frame.n} of its document cannot be unpacked`, {
      cause,
    })
  }
}

const Seq = z.object({ seq: z.number() })

const MAX_DELETIONS = 1000

/**
 * Collects the run_no of every deletion after a record, before each batch, so that deleted documents are never read. A
 * run that was ingested after that record is not deleted before it.
 */
const deletedRuns = (after: number) => {
  const runNumbers = new Set<number>()
  let position = after
  return {
    has: (run_no: number) => runNumbers.has(run_no),
    /** Reads the deletions recorded since the last call. */
    *refresh(): Steps<void> {
      for (;;) {
        const records = yield* ask(listRecordsOf('RunDeleted', position, MAX_DELETIONS))
        for (const { seq, recorded } of yield* standingEvents(records)) {
          if (recorded && isDeletion(recorded)) runNumbers.add(recorded.data.run_no)
          position = seq
        }
        if (records.length < MAX_DELETIONS) return
      }
    },
  }
}
