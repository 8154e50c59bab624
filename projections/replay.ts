import { hash } from 'node:crypto'
import { z } from 'zod'
import type { RunDeleted, RunIngested } from '../commands/run/events.ts'
import { prepareRun } from '../domain/run/prepare.ts'
import type { Recorded } from '../storage/command.ts'
import { ask, nothing, write } from '../storage/commit/steps.ts'
import type { Steps } from '../storage/commit/steps.ts'
import { DocumentDamaged, DocumentMissing } from '../storage/documents/errors.ts'
import { listFrames, rawFrame } from '../storage/documents/frames.ts'
import type { Frame } from '../storage/documents/frames.ts'
import { listRecords, listRecordsOf, recordedOf } from '../storage/log/records.ts'
import { any, one, sql, statement } from '../storage/sql.ts'
import type { Query, Statement } from '../storage/storage.ts'
import { project, projections } from './index.ts'

/** How much one batch takes: what is lost when a replay is broken off, and what one transaction holds. */
export const BATCH = { records: 500, bytes: 64 * 1024 * 1024 }

type Options = {
  /** Done before the first statements of a deletion: they look for rows that a replay from the start never does. */
  readonly onDeletion?: () => Steps<void>
  readonly batch?: typeof BATCH
}

export type Replay = {
  /**
   * Work on an open transaction: replays the next records, and answers how far the tables are then. Where a transaction
   * is undone, so is what is known here: go on with a new replay from where the tables are.
   */
  readonly next: () => Steps<ReplayPosition>
}

/** How far a replay is: the last record it went through, and how many there are. */
export type ReplayPosition = { readonly position: number; readonly size: number }

/**
 * Replays the records after a position into tables that hold the log up to it, a batch with each step; all of a batch
 * is read from one snapshot, and the log may grow between two. Passes over every ingest that a later deletion closes,
 * and over that deletion; a deletion of what was replayed already is applied like any event. Throws `DocumentMissing`
 * when a document is gone without a deletion, `DocumentDamaged` when it is not what was recorded.
 */
export const replayFrom = (after: number, { onDeletion = nothing, batch = BATCH }: Options = {}): Replay => {
  const gone = deletedRuns()
  const passedOver = new Set<number>()
  let position = after
  let deletions = 0

  function* apply(recorded: Recorded): Steps<number> {
    let bytes = 0
    let attached = {}
    if (isIngest(recorded)) {
      const { run_no, document_bytes } = recorded.data
      if (gone.has(run_no)) {
        passedOver.add(run_no)
        return 0
      }
      attached = { attached: prepareRun(yield* documentOf(recorded), recorded.data) }
      bytes = document_bytes
    }
    if (isDeletion(recorded)) {
      // Passed over only together with its ingest: one before the position may stand in the tables.
      if (passedOver.delete(recorded.data.run_no)) return 0
      if (deletions++ === 0) yield* onDeletion()
    }
    for (const each of project({ ...recorded, ...attached })) yield* write(each)
    return bytes
  }

  return {
    *next() {
      yield* gone.look()
      const { seq: size } = yield* ask(one(sql.type(Seq)`SELECT coalesce(max(seq), 0) AS seq FROM events`))
      let bytes = 0
      for (const record of yield* ask(listRecords(position, batch.records))) {
        const recorded = recordedOf(record)
        if (recorded) bytes += yield* apply(recorded)
        position = record.seq
        if (bytes >= batch.bytes) break
      }
      return { position, size }
    },
  }
}

/**
 * Notes that every read model holds the log up to a position, in the version of this build, and that there are no
 * others.
 */
export const markCurrent = (position: number): Statement[] => [
  statement`DELETE FROM projections WHERE name NOT IN (${sql.join(
    projections.map(({ name }) => name),
    sql.fragment`, `,
  )})`,
  ...projections.map(
    ({ name, version }) => statement`
      INSERT INTO projections (name, version, position) VALUES (${name}, ${version}, ${position})
      ON CONFLICT (name) DO UPDATE SET version = excluded.version, position = excluded.position`,
  ),
]

const Active = z.object({ name: z.string(), version: z.number() })

/** The read models that there are, by the version that wrote their tables. */
export const listActive: Query<Array<z.infer<typeof Active>>> = any(
  sql.type(Active)`SELECT name, version FROM projections`,
)

/** Of those, the read models whose tables this build would write differently, or that were never built. */
export const outdatedProjections = (active: ReadonlyArray<z.infer<typeof Active>>): string[] => {
  const versions = new Map(active.map(({ name, version }) => [name, version]))
  return projections.filter(({ name, version }) => versions.get(name) !== version).map(({ name }) => name)
}

/** Of those, the read models that a newer build wrote: this one must not go on beside them. */
export const newerThanThisBuild = (active: ReadonlyArray<z.infer<typeof Active>>): string[] => {
  const ours = new Map(projections.map(({ name, version }) => [name, version]))
  return active.filter(({ name, version }) => version > (ours.get(name) ?? -1)).map(({ name }) => name)
}

const isIngest = (recorded: Recorded): recorded is Recorded<RunIngested> => recorded.type === 'RunIngested'
const isDeletion = (recorded: Recorded): recorded is Recorded<RunDeleted> => recorded.type === 'RunDeleted'

function* documentOf({
  seq,
  stream,
  data: { run_no, document_bytes, document_sha256 },
}: Recorded<RunIngested>): Steps<Buffer> {
  const frames = yield* ask(listFrames(run_no, 0, Number.MAX_SAFE_INTEGER))
  const document = Buffer.concat(frames.map((frame) => unpacked(frame, seq, stream)))
  if (document.length !== document_bytes)
    throw new DocumentMissing(`event ${seq} (${stream}): its document is not there and no deletion is recorded`)
  // What was altered beneath the log must not come into the tables as if it had been recorded.
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

/** The run_no of every recorded deletion: known before a batch, so that what is gone is never looked for. */
const deletedRuns = () => {
  const gone = new Set<number>()
  let known = 0
  return {
    has: (run_no: number) => gone.has(run_no),
    /** Looks for deletions since the last time. */
    *look(): Steps<void> {
      for (;;) {
        const found = yield* ask(listRecordsOf('RunDeleted', known, MAX_DELETIONS))
        for (const record of found) {
          const recorded = recordedOf(record)
          if (recorded && isDeletion(recorded)) gone.add(recorded.data.run_no)
          known = record.seq
        }
        if (found.length < MAX_DELETIONS) return
      }
    },
  }
}
