import { z } from 'zod'
import type { Recorded } from '../../storage/command.ts'
import { LogRecord, recordedOf } from '../../storage/log/records.ts'
import { any, constant, mapped, maybeOne, one, perDialect, sql, type Fragment } from '../../storage/sql.ts'
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
  /** The records of these that are found by their numbers in a read table. */
  readonly also?: { readonly sqlite: Fragment; readonly postgres: Fragment }
}

/** The first numbers after a position of the records that meet one of these conditions. */
const listNumbers = ({ own, sqlite, postgres, also }: Found, after: number, limit: number): Query<number[]> => {
  const either = (...others: readonly Fragment[]) => sql.type(Seq)`
    ${sql.join(
      [own, ...others].map((each) => sql.fragment`SELECT seq FROM event_bodies WHERE ${each} AND seq > ${after}`),
      sql.fragment` UNION `,
    )} ORDER BY seq LIMIT ${limit}`
  return seqs(
    any(perDialect(either(sqlite, ...(also ? [also.sqlite] : [])), either(postgres, ...(also ? [also.postgres] : [])))),
  )
}

/** Labels of the cases of runs, the numbers of which are given by a query. A label of a pair is of two runs. */
const labelsOfRuns = (run_nos: Fragment): Fragment => sql.fragment`
  seq IN (
    SELECT labels.seq FROM review_items JOIN labels ON labels.queue_id = review_items.queue_id AND labels.n = review_items.n
    WHERE review_items.run_no IN (${run_nos}) AND labels.erased = 0
    UNION
    SELECT labels.seq FROM review_queues JOIN review_items ON review_items.queue_id = review_queues.queue_id
    JOIN labels ON labels.queue_id = review_items.queue_id AND labels.n = review_items.n
    WHERE review_queues.kind = 'pairs' AND review_items.second_run_no IN (${run_nos}) AND labels.erased = 0)`

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

/** The first numbers of the records after a position about a run: its stream, its pins, and what people said about its cases. */
export const listRecordsOfRun = (stream: string, run_id: string, after: number, limit: number): Query<number[]> =>
  listNumbers(
    {
      own: sql.fragment`stream = ${stream}`,
      sqlite: sql.fragment`pinned_run = ${run_id}`,
      postgres: sql.fragment`stream_kind = 'baseline/' AND (${DATA} #>> '{data,run_id}') COLLATE "C" = ${run_id}`,
      also: {
        sqlite: labelsOfRuns(sql.fragment`
          SELECT json_extract(uploads.body, '$.data.run_no') FROM event_bodies uploads WHERE uploads.stream = ${stream}`),
        postgres: labelsOfRuns(sql.fragment`
          SELECT CAST(CAST(uploads.body AS json) #>> '{data,run_no}' AS bigint) FROM event_bodies uploads WHERE uploads.stream = ${stream}`),
      },
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

const LabelledRun = z.object({ label_id: z.string(), id: z.string(), project: z.string(), suite: z.string() })

/** The runs of some labels, by the id of the label: one, or two of a pair. */
export const listRunsOfLabels = (
  label_ids: readonly string[],
): Query<ReadonlyMap<string, ReadonlyArray<z.infer<typeof LabelledRun>>>> =>
  label_ids.length === 0
    ? constant(new Map())
    : mapped(
        any(sql.type(LabelledRun)`
          SELECT labels.label_id, coalesce(runs.id, '') AS id, review_queues.project, review_queues.suite
          FROM labels JOIN review_queues ON review_queues.queue_id = labels.queue_id
          JOIN review_items ON review_items.queue_id = labels.queue_id AND review_items.n = labels.n
          LEFT JOIN runs ON runs.run_no IN (review_items.run_no, review_items.second_run_no)
          WHERE labels.label_id IN (${joined(label_ids)})`),
        (rows) => Map.groupBy(rows, ({ label_id }) => label_id),
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
