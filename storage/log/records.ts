import { z } from 'zod'
import type { Actor, NewEvent, Recorded } from '../command.ts'
import { any, maybeOne, sql } from '../sql.ts'
import type { Query } from '../storage.ts'

/** One record as stored in the log. `body` and `salt` are null after an erasure. */
export const LogRecord = z.object({
  seq: z.number(),
  recorded_at: z.number(),
  type: z.string(),
  commitment: z.instanceof(Buffer),
  leaf: z.instanceof(Buffer),
  stream: z.string().nullable(),
  version: z.number().nullable(),
  salt: z.instanceof(Buffer).nullable(),
  body: z.string().nullable(),
})
export type LogRecord = z.infer<typeof LogRecord>

/** The next records after a position, in order. */
export const listRecords = (after: number, limit: number): Query<LogRecord[]> =>
  any(sql.type(LogRecord)`
    SELECT e.seq, e.recorded_at, e.type, e.commitment, e.leaf, b.stream, b.version, b.salt, b.body
    FROM events e LEFT JOIN event_bodies b ON b.seq = e.seq
    WHERE e.seq > ${after} ORDER BY e.seq LIMIT ${limit}`)

/** The next records of one type after a position, in order. */
export const listRecordsOf = (type: string, after: number, limit: number): Query<LogRecord[]> =>
  any(sql.type(LogRecord)`
    SELECT e.seq, e.recorded_at, e.type, e.commitment, e.leaf, b.stream, b.version, b.salt, b.body
    FROM events e LEFT JOIN event_bodies b ON b.seq = e.seq
    WHERE e.type = ${type} AND e.seq > ${after} ORDER BY e.seq LIMIT ${limit}`)

/** The record at a position, or null. */
export const findRecord = (seq: number): Query<LogRecord | null> =>
  maybeOne(sql.type(LogRecord)`
    SELECT e.seq, e.recorded_at, e.type, e.commitment, e.leaf, b.stream, b.version, b.salt, b.body
    FROM events e LEFT JOIN event_bodies b ON b.seq = e.seq
    WHERE e.seq = ${seq}`)

/** The newest record of a type, or null. */
export const findNewestRecord = (type: string): Query<LogRecord | null> =>
  maybeOne(sql.type(LogRecord)`
    SELECT e.seq, e.recorded_at, e.type, e.commitment, e.leaf, b.stream, b.version, b.salt, b.body
    FROM events e LEFT JOIN event_bodies b ON b.seq = e.seq
    WHERE e.type = ${type} ORDER BY e.seq DESC LIMIT 1`)

/** The first record of a stream; null if there is none, or if its body was erased. */
export const findFirstRecord = (stream: string): Query<LogRecord | null> =>
  maybeOne(sql.type(LogRecord)`
    SELECT e.seq, e.recorded_at, e.type, e.commitment, e.leaf, b.stream, b.version, b.salt, b.body
    FROM event_bodies b JOIN events e ON e.seq = b.seq
    WHERE b.stream = ${stream} AND b.version = 1`)

type BodyJson = {
  readonly actor: Actor
  readonly data: unknown
  readonly request_id: string | null
  readonly stream: string
  readonly version: number
}

type RecordedWithActor = Omit<Recorded<NewEvent>, 'actor'> & { readonly actor: Actor }

/** The event of a record, or null if its body was erased. */
export const recordedOf = ({
  seq,
  recorded_at,
  type,
  body,
}: Pick<LogRecord, 'seq' | 'recorded_at' | 'type' | 'body'>): RecordedWithActor | null => {
  if (body === null) return null
  const { actor, data, request_id, stream, version } = JSON.parse(body) as BodyJson
  return { seq, recorded_at, type, stream, version, actor, request_id, data }
}
