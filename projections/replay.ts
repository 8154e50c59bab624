import { hash } from 'node:crypto'
import type { RunDeleted, RunIngested } from '../commands/run/events.ts'
import { prepareRun } from '../engine/prepare-run.ts'
import { listFrames, rawFrame } from '../storage/document-frames.ts'
import type { Frame } from '../storage/document-frames.ts'
import { findRecord, listRecords, recordedOf } from '../storage/log-reader.ts'
import { any, sql, statement } from '../storage/sql.ts'
import type { Query, Recorded, Statement } from '../storage/storage.ts'
import { z } from 'zod'
import { project, projections } from './index.ts'

/** How much one batch takes: what is lost when a replay is broken off, and what one transaction holds. */
export const BATCH = { records: 500, bytes: 64 * 1024 * 1024 }

type Read = <T>(query: Query<T>) => T
type Run = (statement: Statement) => void

/** Where the log is read, and where its read models are written. */
export type Replay = {
  readonly read: Read
  readonly run: Run
  /** Told before the first statements of a deletion: they look for rows that a replay from the start never does. */
  readonly onDeletion?: () => void
  readonly batch?: typeof BATCH
}

/** How far a replay is: the last record it went through, and how many there are. */
export type Reached = { readonly position: number; readonly size: number }

/** A run that the log says is there has no document. */
export class DocumentMissing extends Error {
  override readonly name = 'DocumentMissing'
}

/** A document is not what the log says it is. */
export class DocumentAltered extends Error {
  override readonly name = 'DocumentAltered'
}

/**
 * Replays the records after a position into tables that hold the log up to it, a batch with each step. Passes over
 * every ingest that a later deletion closes, and over that deletion; a deletion of what stands before the position is
 * applied like any event. Throws `DocumentMissing` when a document is gone without a
 * deletion, `DocumentAltered` when it is not what was recorded.
 */
export function* replay({ read, run, onDeletion = () => {}, batch = BATCH }: Replay, after: number): Generator<Reached> {
  const gone = deletedRuns(read)
  const size = lastSeq(read)
  const passedOver = new Set<number>()
  let position = after
  let deletions = 0

  const apply = (recorded: Recorded): number => {
    if (isIngest(recorded)) {
      const { run_no, document_bytes } = recorded.data
      if (gone.has(run_no)) {
        passedOver.add(run_no)
        return 0
      }
      for (const each of project({ ...recorded, attached: prepareRun(documentOf(read, recorded), recorded.data) })) run(each)
      return document_bytes
    }
    if (isDeletion(recorded)) {
      // Passed over only together with its ingest: one before the position may stand in the tables.
      if (passedOver.delete(recorded.data.run_no)) return 0
      if (deletions++ === 0) onDeletion()
    }
    for (const each of project(recorded)) run(each)
    return 0
  }

  do {
    let bytes = 0
    for (const record of read(listRecords(position, batch.records))) {
      const recorded = recordedOf(record)
      if (recorded) bytes += apply(recorded)
      position = record.seq
      if (bytes >= batch.bytes) break
    }
    yield { position, size }
  } while (position < size)
}

/** Notes that every read model holds the log up to a position, in the version of this build. */
export const markCurrent = (run: Run, position: number): void => {
  for (const { name, version } of projections)
    run(statement`
      INSERT INTO projections (name, version, position) VALUES (${name}, ${version}, ${position})
      ON CONFLICT (name) DO UPDATE SET version = excluded.version, position = excluded.position`)
}

const Active = z.object({ name: z.string(), version: z.number() })

/** The read models whose tables this build would write differently, or that were never built. */
export const outdated = (read: Read): string[] => {
  const active = new Map(read(any(sql.type(Active)`SELECT name, version FROM projections`)).map(({ name, version }) => [name, version]))
  return projections.filter(({ name, version }) => active.get(name) !== version).map(({ name }) => name)
}

const isIngest = (recorded: Recorded): recorded is Recorded<RunIngested> => recorded.type === 'RunIngested'
const isDeletion = (recorded: Recorded): recorded is Recorded<RunDeleted> => recorded.type === 'RunDeleted'

const documentOf = (read: Read, { seq, stream, data: { run_no, document_bytes, document_sha256 } }: Recorded<RunIngested>): Buffer => {
  const document = Buffer.concat(read(listFrames(run_no, 0, Number.MAX_SAFE_INTEGER)).map((frame) => unpacked(frame, seq, stream)))
  if (document.length !== document_bytes) throw new DocumentMissing(`event ${seq} (${stream}): its document is not there and no deletion is recorded`)
  // What was altered beneath the log must not come into the tables as if it had been recorded.
  if (hash('sha256', document, 'hex') !== document_sha256) throw new DocumentAltered(`event ${seq} (${stream}): its document does not have the digest that was recorded`)
  return document
}

const unpacked = (frame: Frame, seq: number, stream: string): Buffer => {
  try {
    return rawFrame(frame)
  } catch (cause) {
    throw new DocumentAltered(`event ${seq} (${stream}): frame ${frame.n} of its document cannot be unpacked`, { cause })
  }
}

const Seq = z.object({ seq: z.number() })

/** run_no of every recorded deletion: known before the replay, so that what is gone is never looked for. */
const deletedRuns = (read: Read): ReadonlySet<number> => {
  const gone = new Set<number>()
  for (const { seq } of read(any(sql.type(Seq)`SELECT seq FROM events WHERE type = 'RunDeleted' ORDER BY seq`))) {
    const record = read(findRecord(seq))
    const recorded = record && recordedOf(record)
    if (recorded && isDeletion(recorded)) gone.add(recorded.data.run_no)
  }
  return gone
}

const lastSeq = (read: Read): number => read(any(sql.type(Seq)`SELECT coalesce(max(seq), 0) AS seq FROM events`))[0]?.seq ?? 0
