import { z } from 'zod'
import type { Recorded } from '../../storage/command.ts'
import type { Erasure } from '../../storage/log/erasures.ts'
import { LogRecord, recordedOf } from '../../storage/log/records.ts'
import { any, mapped, maybeOne, one, sql } from '../../storage/sql.ts'
import type { Fragment } from '../../storage/sql.ts'
import type { Query } from '../../storage/storage.ts'

// What an erasure finds in the log. No row is filtered by a viewer: only who sees everything may erase.

/** The streams that may say something about an account, in addition to what the account did. */
const ACCOUNT_KINDS = ['key/', 'session/', 'sessions/', 'identity/', 'sign-in/', 'access/'] as const

const joined = (values: readonly (string | number)[]): Fragment =>
  values.length === 0 ? sql.fragment`NULL` : sql.fragment`${sql.join([...values], sql.fragment`, `)}`

const Seq = z.object({ seq: z.number() })

const seqs = (rows: Query<Array<z.infer<typeof Seq>>>): Query<number[]> =>
  mapped(rows, (found) => found.map(({ seq }) => seq))

/** Text that contains a JSON member, as a pattern for LIKE: members of other names or values may match too. */
const withMember = (name: string, value: string): string =>
  `%${JSON.stringify(name)}:${JSON.stringify(value).replaceAll(/[\\%_]/g, (found) => `^${found}`)}%`

/**
 * The first numbers of the records after a position that may concern an account: what it did, and what was recorded about
 * it. Some of them may concern another account; the bodies say which.
 */
export const listRecordsOfUser = (user_id: string, after: number, limit: number): Query<number[]> =>
  seqs(
    any(sql.type(Seq)`
      SELECT seq FROM event_bodies WHERE actor_user = ${user_id} AND seq > ${after}
      UNION
      SELECT seq FROM event_bodies
      WHERE (stream = 'accounts' OR stream_kind IN (${joined(ACCOUNT_KINDS)})) AND seq > ${after}
        AND body LIKE ${withMember('user_id', user_id)} ESCAPE '^'
      ORDER BY seq LIMIT ${limit}`),
  )

/** The first numbers of the records after a position about a run: its stream, and its pins. */
export const listRecordsOfRun = (stream: string, run_id: string, after: number, limit: number): Query<number[]> =>
  seqs(
    any(sql.type(Seq)`
      SELECT seq FROM event_bodies WHERE stream = ${stream} AND seq > ${after}
      UNION
      SELECT seq FROM event_bodies
      WHERE stream_kind = 'baseline/' AND seq > ${after} AND body LIKE ${withMember('run_id', run_id)} ESCAPE '^'
      ORDER BY seq LIMIT ${limit}`),
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

const Body = z.object({ body: z.string() })

/** Whether an erasure kept facts that name an account. */
export const isAccountKept = (user_id: string): Query<boolean> =>
  mapped(
    any(sql.type(Body)`
      SELECT body FROM event_bodies
      WHERE stream_kind = 'erasure/' AND body LIKE ${withMember('user_id', user_id)} ESCAPE '^'`),
    // The account may also be the one that erased.
    (rows) =>
      rows.some(({ body }) => {
        const { kept } = (JSON.parse(body) as { readonly data: Erasure }).data
        return (kept?.data as { readonly user_id?: string } | undefined)?.user_id === user_id
      }),
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
