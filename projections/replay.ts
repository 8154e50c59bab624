import { hash } from 'node:crypto'
import { z } from 'zod'
import type { RunDeleted, RunIngested } from '../commands/run/events.ts'
import { prepareRun } from '../domain/run/prepare.ts'
import type { Recorded } from '../storage/command.ts'
import { ask, noSteps, write } from '../storage/commit/steps.ts'
import type { Steps } from '../storage/commit/steps.ts'
import { DocumentDamaged, DocumentMissing } from '../storage/documents/errors.ts'
import { listFrames, rawFrame } from '../storage/documents/frames.ts'
import type { Frame } from '../storage/documents/frames.ts'
import { TREE } from '../storage/log/nodes.ts'
import { listRecords, listRecordsOf, recordedOf } from '../storage/log/records.ts'
import { any, one, sql, statement } from '../storage/sql.ts'
import type { Query, Statement } from '../storage/storage.ts'
import { project, projections } from './index.ts'

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
 * deletion are skipped. The deletion of a run that was replayed before is applied. Throws `DocumentMissing` if a
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
        return 0
      }
      attached = { attached: prepareRun(yield* documentOf(recorded), recorded.data) }
      bytes = document_bytes
    }
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
const isDeletion = (recorded: Recorded): recorded is Recorded<RunDeleted> => recorded.type === 'RunDeleted'

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
        for (const record of records) {
          const recorded = recordedOf(record)
          if (recorded && isDeletion(recorded)) runNumbers.add(recorded.data.run_no)
          position = record.seq
        }
        if (records.length < MAX_DELETIONS) return
      }
    },
  }
}
