import { z } from 'zod'
import type { Recorded } from '../../storage/command.ts'
import { LogRecord, recordedOf } from '../../storage/log/records.ts'
import { any, mapped, maybeOne, one, perDialect, sql, type Fragment } from '../../storage/sql.ts'
import type { Query } from '../../storage/storage.ts'

// What an erasure finds in the log. No row is filtered by a viewer: only who sees everything may erase.

const joined = (values: readonly (string | number)[]): Fragment =>
  values.length === 0 ? sql.fragment`NULL` : sql.fragment`${sql.join([...values], sql.fragment`, `)}`

const Seq = z.object({ seq: z.number() })

const seqs = (rows: Query<Array<z.infer<typeof Seq>>>): Query<number[]> =>
  mapped(rows, (found) => found.map(({ seq }) => seq))

// The same expressions and conditions as in the indexes of PostgreSQL; SQLite has generated columns.
const DATA = sql.fragment`CAST(body AS json)`
const IS_OF_ACCOUNTS = sql.fragment`
  (stream = 'accounts' OR stream_kind IN ('key/', 'session/', 'sessions/', 'identity/', 'sign-in/', 'access/', 'webhook/'))`

type Found = {
  /** The records that are found on both storages in one way. */
  readonly own: Fragment
  /** Those that another index finds, on SQLite and on PostgreSQL. */
  readonly sqlite: Fragment
  readonly postgres: Fragment
}

/** The first numbers after a position of the records that meet one of two conditions. */
const listNumbers = ({ own, sqlite, postgres }: Found, after: number, limit: number): Query<number[]> => {
  const either = (other: Fragment) => sql.type(Seq)`
    SELECT seq FROM event_bodies WHERE ${own} AND seq > ${after}
    UNION SELECT seq FROM event_bodies WHERE ${other} AND seq > ${after} ORDER BY seq LIMIT ${limit}`
  return seqs(any(perDialect(either(sqlite), either(postgres))))
}

/** The first numbers of the records after a position that concern an account: what it did, and what was recorded about it. */
export const listRecordsOfUser = (user_id: string, after: number, limit: number): Query<number[]> =>
  listNumbers(
    {
      own: sql.fragment`actor_user = ${user_id}`,
      sqlite: sql.fragment`account = ${user_id}`,
      postgres: sql.fragment`${IS_OF_ACCOUNTS} AND (${DATA} #>> '{data,user_id}') COLLATE "C" = ${user_id}`,
    },
    after,
    limit,
  )

/** The first numbers of the records after a position about a run: its stream, and its pins. */
export const listRecordsOfRun = (stream: string, run_id: string, after: number, limit: number): Query<number[]> =>
  listNumbers(
    {
      own: sql.fragment`stream = ${stream}`,
      sqlite: sql.fragment`pinned_run = ${run_id}`,
      postgres: sql.fragment`stream_kind = 'baseline/' AND (${DATA} #>> '{data,run_id}') COLLATE "C" = ${run_id}`,
    },
    after,
    limit,
  )

/** Records by their numbers, in order. */
export const listRecordsAt = (numbers: readonly number[]): Query<LogRecord[]> =>
  any(sql.type(LogRecord)`
    SELECT e.seq, e.recorded_at, e.type, e.commitment, e.leaf, b.stream, b.version, b.salt, b.body
    FROM events e LEFT JOIN event_bodies b ON b.seq = e.seq
    WHERE e.seq IN (${joined(numbers)}) ORDER BY e.seq`)

/** The number of the last record; 0 for an empty log. */
export const findLastSeq: Query<number> = mapped(
  one(sql.type(Seq)`SELECT coalesce(max(seq), 0) AS seq FROM events`),
  ({ seq }) => seq,
)

const RunNo = z.object({ run_no: z.number() })

/** Which of the runs with these numbers are stored. */
export const listStoredRuns = (numbers: readonly number[]): Query<ReadonlySet<number>> =>
  mapped(
    any(sql.type(RunNo)`SELECT run_no FROM runs WHERE run_no IN (${joined(numbers)})`),
    (rows) => new Set(rows.map(({ run_no }) => run_no)),
  )

const Id = z.object({ id: z.string() })

/** Which of these accounts exist. */
export const listExistingUsers = (ids: readonly string[]): Query<ReadonlySet<string>> =>
  mapped(
    any(sql.type(Id)`SELECT id FROM users WHERE id IN (${joined(ids)})`),
    (rows) => new Set(rows.map(({ id }) => id)),
  )

/** Whether there was an account with this id. It stays known after its deletion and after its erasure. */
export const wasUser = (user_id: string): Query<boolean> =>
  mapped(
    maybeOne(sql.type(Id)`SELECT id FROM principals WHERE id = ${user_id} AND kind = 'user'`),
    (row) => row !== null,
  )

/** Whether an erasure kept facts that name an account. */
export const isAccountKept = (user_id: string): Query<boolean> =>
  mapped(
    any(
      perDialect(
        sql.type(Seq)`SELECT seq FROM event_bodies WHERE kept_account = ${user_id} LIMIT 1`,
        sql.type(Seq)`
          SELECT seq FROM event_bodies
          WHERE stream_kind = 'erasure/' AND (${DATA} #>> '{data,kept,data,user_id}') COLLATE "C" = ${user_id} LIMIT 1`,
      ),
    ),
    (rows) => rows.length > 0,
  )

const LastVersion = z.object({ stream: z.string(), version: z.number() })

/** The last version in some streams, of stored bodies alone. */
export const listLastVersions = (streams: readonly string[]): Query<ReadonlyMap<string, number>> =>
  mapped(
    any(sql.type(LastVersion)`
      SELECT stream, max(version) AS version FROM event_bodies WHERE stream IN (${joined(streams)}) GROUP BY stream`),
    (rows) => new Map(rows.map(({ stream, version }) => [stream, version])),
  )

/** The events of some streams, as far as their bodies are stored. */
export const listEventsOf = (streams: readonly string[]): Query<Recorded[]> =>
  mapped(
    any(sql.type(LogRecord)`
      SELECT e.seq, e.recorded_at, e.type, e.commitment, e.leaf, b.stream, b.version, b.salt, b.body
      FROM event_bodies b JOIN events e ON e.seq = b.seq
      WHERE b.stream IN (${joined(streams)})`),
    (records) => records.flatMap((record) => recordedOf(record) ?? []),
  )
