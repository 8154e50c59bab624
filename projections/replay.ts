import type { RunDeleted, RunIngested } from '../commands/run/events.ts'
import { prepareRun } from '../engine/prepare-run.ts'
import { rawFrame, listFrames } from '../storage/document-frames.ts'
import { listRecords, recordedOf } from '../storage/log-reader.ts'
import { any, sql, statement } from '../storage/sql.ts'
import type { Query, Recorded, Statement } from '../storage/storage.ts'
import { z } from 'zod'
import { project, projections } from './index.ts'

/** Records read per query. */
const BATCH = 500

type Target = { readonly read: <T>(query: Query<T>) => T; readonly run: (statement: Statement) => void }

/** A run that the log says is there has no document. */
export class DocumentMissing extends Error {
  override readonly name = 'DocumentMissing'
}

/**
 * Empties every read table and replays the log into it, on an open transaction. Passes over every ingest that a later
 * deletion closes, and over that deletion. Throws `DocumentMissing` when a document is gone without one. Answers the
 * position reached; `progress` is told as it goes.
 */
export const rebuild = ({ read, run }: Target, progress: (done: number, of: number) => void = () => {}): number => {
  for (const { clear } of projections) for (const each of clear) run(each)
  const gone = deletedRuns(read)
  const size = lastSeq(read)
  let position = 0
  for (;;) {
    const records = read(listRecords(position, BATCH))
    for (const record of records) {
      const recorded = recordedOf(record)
      if (recorded && !isClosed(recorded, gone)) for (const each of project(withDocument(read, recorded))) run(each)
    }
    position = records.at(-1)?.seq ?? position
    if (records.length < BATCH) break
    progress(position, size)
  }
  markCurrent(run, position)
  progress(position, size)
  return position
}

/** Notes that every read model holds the log up to a position, in the version of this build. */
export const markCurrent = (run: Target['run'], position: number): void => {
  for (const { name, version } of projections)
    run(statement`
      INSERT INTO projections (name, version, position) VALUES (${name}, ${version}, ${position})
      ON CONFLICT (name) DO UPDATE SET version = excluded.version, position = excluded.position`)
}

const Active = z.object({ name: z.string(), version: z.number() })

/** The read models whose tables this build would write differently, or that were never built. */
export const outdated = (read: Target['read']): string[] => {
  const active = new Map(read(any(sql.type(Active)`SELECT name, version FROM projections`)).map(({ name, version }) => [name, version]))
  return projections.filter(({ name, version }) => active.get(name) !== version).map(({ name }) => name)
}

const isRun = (recorded: Recorded): recorded is Recorded<RunIngested> | Recorded<RunDeleted> => recorded.type === 'RunIngested' || recorded.type === 'RunDeleted'

const isClosed = (recorded: Recorded, gone: ReadonlySet<number>): boolean => isRun(recorded) && gone.has(recorded.data.run_no)

const withDocument = (read: Target['read'], recorded: Recorded): Recorded => {
  if (recorded.type !== 'RunIngested') return recorded
  const { run_no, document_bytes } = (recorded as Recorded<RunIngested>).data
  const frames = read(listFrames(run_no, 0, Number.MAX_SAFE_INTEGER))
  const document = Buffer.concat(frames.map(rawFrame))
  if (document.length !== document_bytes) throw new DocumentMissing(`event ${recorded.seq} (${recorded.stream}): its document is not there and no deletion is recorded`)
  return { ...recorded, attached: prepareRun(document) }
}

const Seq = z.object({ seq: z.number() })

/** run_no of every recorded deletion: known before the replay, so that what is gone is never looked for. */
const deletedRuns = (read: Target['read']): ReadonlySet<number> => {
  const gone = new Set<number>()
  for (const { seq } of read(any(sql.type(Seq)`SELECT seq FROM events WHERE type = 'RunDeleted' ORDER BY seq`))) {
    const [record] = read(listRecords(seq - 1, 1))
    const recorded = record && recordedOf(record)
    if (recorded && isRun(recorded)) gone.add(recorded.data.run_no)
  }
  return gone
}

const lastSeq = (read: Target['read']): number => read(any(sql.type(Seq)`SELECT coalesce(max(seq), 0) AS seq FROM events`))[0]?.seq ?? 0
