import { z } from 'zod'
import type { Recorded } from '../command.ts'
import { any, mapped, one, perDialect, sql } from '../sql.ts'
import type { Query } from '../storage.ts'
import { recordedOf, type LogRecord } from './records.ts'

// A record whose body was erased is named by an event `EventErased` of a stream `erasure/…`. Its `kept` is what the read
// tables still need of the body.

/** What was kept of an erased body. */
export type KeptBody = { readonly data: unknown; readonly stream: string; readonly version: number }

/** An erasure, by the number of the record that it erased. */
export type Erasure = { readonly seq: number; readonly kept: KeptBody | null }

// The same expressions as in the indexes of PostgreSQL; SQLite has generated columns.
const DATA = sql.fragment`CAST(body AS json)`
const ERASED_SEQ = sql.fragment`CAST(${DATA} #>> '{data,seq}' AS bigint)`
const KEPT_STREAM = sql.fragment`(${DATA} #>> '{data,kept,stream}') COLLATE "C"`
const KEPT_VERSION = sql.fragment`CAST(${DATA} #>> '{data,kept,version}' AS bigint)`

const Body = z.object({ body: z.string() })

/** The erasures of records from one number to another, both included. */
export const listErasures = (from: number, to: number): Query<Erasure[]> =>
  mapped(
    any(
      perDialect(
        sql.type(Body)`SELECT body FROM event_bodies WHERE erased_seq >= ${from} AND erased_seq <= ${to}`,
        sql.type(Body)`
          SELECT body FROM event_bodies WHERE stream_kind = 'erasure/' AND ${ERASED_SEQ} >= ${from} AND ${ERASED_SEQ} <= ${to}`,
      ),
    ),
    (rows) => rows.map(({ body }) => (JSON.parse(body) as { readonly data: Erasure }).data),
  )

/** The erasures that kept facts of some streams. */
export const listKeptOfStreams = (streams: readonly string[]): Query<Erasure[]> => {
  const among = streams.length === 0 ? sql.fragment`NULL` : sql.fragment`${sql.join([...streams], sql.fragment`, `)}`
  return mapped(
    any(
      perDialect(
        sql.type(Body)`SELECT body FROM event_bodies WHERE kept_stream IN (${among})`,
        sql.type(Body)`SELECT body FROM event_bodies WHERE stream_kind = 'erasure/' AND ${KEPT_STREAM} IN (${among})`,
      ),
    ),
    (rows) => rows.map(({ body }) => (JSON.parse(body) as { readonly data: Erasure }).data),
  )
}

const Version = z.object({ n: z.number() })

/** The last version of a stream, of erased events with kept facts too; 0 if there is none. */
export const findLastVersion = (stream: string): Query<number> =>
  mapped(
    one(
      perDialect(
        sql.type(Version)`
          SELECT max(
            coalesce((SELECT max(version) FROM event_bodies WHERE stream = ${stream}), 0),
            coalesce((SELECT max(kept_version) FROM event_bodies WHERE kept_stream = ${stream}), 0)) AS n`,
        sql.type(Version)`
          SELECT greatest(
            (SELECT max(version) FROM event_bodies WHERE stream = ${stream}),
            (SELECT max(${KEPT_VERSION}) FROM event_bodies WHERE stream_kind = 'erasure/' AND ${KEPT_STREAM} = ${stream}),
            0) AS n`,
      ),
    ),
    ({ n }) => n,
  )

/**
 * The event of a record, from its body or from what an erasure kept of it; then the actor is of kind `erased`, and all
 * else of it is null. Null if nothing was kept.
 */
export const recordedOrKept = (record: LogRecord, erasures: ReadonlyMap<number, KeptBody | null>): Recorded | null => {
  const { seq, recorded_at, type } = record
  const recorded = recordedOf(record)
  if (recorded) return recorded
  const kept = erasures.get(seq)
  if (!kept) return null
  const actor = { address: null, credential_id: null, kind: 'erased', scope: null, user_id: null } as const
  return { seq, recorded_at, type, ...kept, actor, request_id: null }
}
