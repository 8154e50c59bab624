import { hash } from 'node:crypto'
import { z } from 'zod'
import type { EventErased } from '../commands/erasure/events.ts'
import type { RunDeleted, RunIngested } from '../commands/run/events.ts'
import { storedRun } from '../commands/run/stored-run.ts'
import { prepareRun } from '../domain/run/prepare.ts'
import type { Recorded } from '../storage/command.ts'
import { ask, noSteps, write } from '../storage/commit/steps.ts'
import type { Steps } from '../storage/commit/steps.ts'
import { DocumentDamaged, DocumentMissing } from '../storage/documents/errors.ts'
import { listFrames, rawFrame } from '../storage/documents/frames.ts'
import type { Frame } from '../storage/documents/frames.ts'
import { listErasures, recordedOrKept } from '../storage/log/erasures.ts'
import { TREE } from '../storage/log/nodes.ts'
import { findRecord, listRecords, listRecordsOf } from '../storage/log/records.ts'
import type { LogRecord } from '../storage/log/records.ts'
import { any, mapped, one, sql, statement } from '../storage/sql.ts'
import type { Query, Statement } from '../storage/storage.ts'
import { project, projectDeletedRun, projections } from './index.ts'

/** The limits of one batch, which is one transaction: an interrupted replay loses at most one batch. */
export const MAX_BATCH = { records: 500, bytes: 64 * 1024 * 1024 }

type Options = {
  /**
   * Runs before the first deletion is applied, for example to create indexes: a deletion searches rows. A replay from
   * the start applies no deletion.
   */
  readonly beforeFirstDeletion?: () => Steps<void>
  readonly batch?: typeof MAX_BATCH
}

export type Replay = {
  /**
   * Replays the next records in an open transaction and returns the new position. After a rollback, do not use this
   * object again: create a new replay from the position of the tables.
   */
  readonly next: () => Steps<ReplayPosition>
}

/** The progress of a replay: the last replayed record and the number of records. */
export type ReplayPosition = { readonly position: number; readonly size: number }

/**
 * Replays the records after a position into tables that contain the log up to it, one batch per step. A batch is read
 * from one snapshot; the log may grow between two batches. If a run is deleted later in the log, its ingest and its
 * deletion are skipped, except by the read models that need no document. The deletion of a run that was replayed before
 * is applied. Of an erased record only what was kept is replayed, by an actor of kind `erased`. Throws `DocumentMissing` if a
 * document is missing and no deletion is recorded, `DocumentDamaged` if a document differs from the recorded one.
 */
export const replayFrom = (
  after: number,
  { beforeFirstDeletion = noSteps, batch = MAX_BATCH }: Options = {},
): Replay => {
  const deleted = deletedRuns()
  const skippedRuns = new Set<number>()
  let position = after
  let deletions = 0

  function* apply(recorded: Recorded): Steps<number> {
    let bytes = 0
    let attached = {}
    if (isIngest(recorded)) {
      const { run_no, document_bytes } = recorded.data
      if (deleted.has(run_no)) {
        skippedRuns.add(run_no)
        for (const change of projectDeletedRun(recorded)) yield* write(change)
        return 0
      }
      const document = prepareRun(yield* documentOf(recorded), recorded.data)
      attached = { attached: storedRun(document, { withVectors: false }) }
      bytes = document_bytes
    }
    if (isErasure(recorded)) attached = { attached: yield* ask(findRecord(recorded.data.seq)) }
    if (isDeletion(recorded)) {
      // Skipped only together with its ingest: a run ingested before the position may be in the tables.
      if (skippedRuns.delete(recorded.data.run_no)) return 0
      if (deletions++ === 0) yield* beforeFirstDeletion()
    }
    for (const change of project({ ...recorded, ...attached })) yield* write(change)
    return bytes
  }

  return {
    *next() {
      yield* deleted.refresh()
      const { seq: size } = yield* ask(one(sql.type(Seq)`SELECT coalesce(max(seq), 0) AS seq FROM events`))
      let bytes = 0
      for (const { seq, recorded } of yield* standingEvents(yield* ask(listRecords(position, batch.records)))) {
        if (recorded) bytes += yield* apply(recorded)
        position = seq
        if (bytes >= batch.bytes) break
      }
      if (position === size) yield* deleteEndedSessions()
      return { position, size }
    },
  }
}

/**
 * Records for every read model that its tables contain the log up to a position, in the version of this build. Removes
 * the records of other read models, but not that of the log's tree.
 */
export const markCurrent = (position: number): Statement[] => [
  statement`DELETE FROM projections WHERE name NOT IN (${sql.join(
    [TREE, ...projections].map(({ name }) => name),
    sql.fragment`, `,
  )})`,
  ...projections.map(
    ({ name, version }) => statement`
      INSERT INTO projections (name, version, position) VALUES (${name}, ${version}, ${position})
      ON CONFLICT (name) DO UPDATE SET version = excluded.version, position = excluded.position`,
  ),
]

const Active = z.object({ name: z.string(), version: z.number() })

/** Lists the read models with the version that wrote their tables. */
export const listReadModels: Query<Array<z.infer<typeof Active>>> = any(
  sql.type(Active)`SELECT name, version FROM projections`,
)

/** Returns the read models whose tables this build would write differently, or that were never built. */
export const outdatedProjections = (active: ReadonlyArray<z.infer<typeof Active>>): string[] => {
  const versions = new Map(active.map(({ name, version }) => [name, version]))
  return projections.filter(({ name, version }) => versions.get(name) !== version).map(({ name }) => name)
}

/** Returns the read models, or the tree of the log, that a newer build wrote: this build must not use them. */
export const newerProjections = (active: ReadonlyArray<z.infer<typeof Active>>): string[] => {
  const versions = new Map<string, number>([TREE, ...projections].map(({ name, version }) => [name, version]))
  return active.filter(({ name, version }) => version > (versions.get(name) ?? -1)).map(({ name }) => name)
}

const isIngest = (recorded: Recorded): recorded is Recorded<RunIngested> => recorded.type === 'RunIngested'
const isErasure = (recorded: Recorded): recorded is Recorded<EventErased> => recorded.type === 'EventErased'
const isDeletion = (recorded: Recorded): recorded is Recorded<RunDeleted> => recorded.type === 'RunDeleted'

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
      sql.type(
        TokenRow,
      )`SELECT session_id FROM session_tokens WHERE session_id > ${after} ORDER BY session_id LIMIT ${MAX_NAMED}`,
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

function* documentOf({
  seq,
  stream,
  data: { run_no, document_bytes, document_sha256 },
}: Recorded<RunIngested>): Steps<Buffer> {
  const frames = yield* ask(listFrames(run_no, 0, Number.MAX_SAFE_INTEGER))
  const document = Buffer.concat(frames.map((frame) => unpacked(frame, seq, stream)))
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

/** Collects the run_no of every recorded deletion before a batch, so that deleted documents are never read. */
const deletedRuns = () => {
  const runNumbers = new Set<number>()
  let position = 0
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
