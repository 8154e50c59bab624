import { z } from 'zod'
import type { Actor } from '../storage/command.ts'
import { findRecord, recordedOf } from '../storage/log/records.ts'
import type { LogRecord } from '../storage/log/records.ts'
import { any, mapped, maybeOne, one, orderedUnion, sql } from '../storage/sql.ts'
import type { Fragment } from '../storage/sql.ts'
import type { Query, Reader } from '../storage/storage.ts'
import type { Viewer } from './access/viewer.ts'
import { unindexed, walkIndexes } from './index-walk.ts'
import { page, rfc3339 } from './wire.ts'

// The log as it is read by people. An event may name any run set, so it is shown to those alone who see every one.

const text = z.string().nullable()
const count = z.number().int()

/** Who acted, with the label that belongs to the id today. */
const AuditActor = z
  .object({
    kind: z.enum(['anonymous', 'static', 'session', 'apikey', 'cli', 'system']),
    scope: z.enum(['read', 'write', 'admin']).nullable(),
    user_id: text,
    credential_id: text,
    address: text,
    label: text,
  })
  .meta({ id: 'AuditActor' })

/** One event. What its body told is null where the body was erased. */
export const AuditEvent = z
  .object({
    seq: count,
    recorded_at: z.string(),
    type: z.string(),
    stream: text,
    version: count.nullable(),
    actor: AuditActor.nullable(),
    request_id: text,
    data: z.record(z.string(), z.unknown()).nullable(),
  })
  .meta({ id: 'AuditEvent' })
export type AuditEvent = z.infer<typeof AuditEvent>

export const AuditList = z.object({ events: z.array(AuditEvent), next_cursor: text }).meta({ id: 'AuditList' })
export type AuditList = z.infer<typeof AuditList>

/** One event with what its place in the Merkle tree is computed from. */
export const AuditRecord = AuditEvent.extend({ commitment: z.string(), leaf: z.string(), salt: text, body: text }).meta(
  { id: 'AuditRecord' },
)
export type AuditRecord = z.infer<typeof AuditRecord>

/** Filters of the audit trail. `stream` is one stream, or all whose names start so where it ends in a slash. */
export type AuditFilters = {
  readonly actor?: string | undefined
  readonly type?: string | undefined
  readonly stream?: string | undefined
  readonly since?: number | undefined
  readonly until?: number | undefined
}

type Table = 'events' | 'event_bodies'

/**
 * What is asked for: ranges of one table of the log that together are what it matches, no record in two, each in order
 * in an index; and the same as a condition on the record that a column of numbers names.
 */
type Filter = { readonly of: Table; readonly ranges: readonly Fragment[]; readonly holds: (seq: Fragment) => Fragment }

/** Whether a record is in a range. Asked as a range itself, so that its index answers and no row is read. */
const within =
  (of: Table, range: Fragment) =>
  (seq: Fragment): Fragment => {
    const same = sql.identifier([of, 'seq'])
    return sql.fragment`EXISTS (SELECT 1 FROM ${sql.identifier([of])} WHERE ${range} AND ${same} >= ${seq} AND ${same} <= ${seq})`
  }

const filterOf = (of: Table, range: Fragment): Filter => ({ of, ranges: [range], holds: within(of, range) })

const EVERYTHING = filterOf('events', sql.fragment`TRUE`)

const ofType = (type: string): Filter => filterOf('events', sql.fragment`events.type = ${type}`)

const ofStream = (stream: string): Filter => {
  if (!stream.endsWith('/')) return filterOf('event_bodies', sql.fragment`event_bodies.stream = ${stream}`)
  // A prefix of one part is a kind; the names of streams have no more than one part behind any other.
  const column = stream.indexOf('/') === stream.length - 1 ? 'stream_kind' : 'stream_parent'
  return filterOf('event_bodies', sql.fragment`${sql.identifier(['event_bodies', column])} = ${stream}`)
}

const ofActor = (ids: readonly string[]): Filter => {
  const of = 'event_bodies'
  const [user, credential] = [sql.fragment`event_bodies.actor_user`, sql.fragment`event_bodies.actor_credential`]
  const among = (column: Fragment): Fragment => sql.fragment`${column} IN (${sql.join(ids, sql.fragment`, `)})`
  return {
    of,
    // An account acts by a credential of its own, so a record may stand in two of these: merging drops the second.
    ranges: [user, credential].flatMap((column) => ids.map((id) => sql.fragment`${column} = ${id}`)),
    holds: (seq) => sql.fragment`(${within(of, among(user))(seq)} OR ${within(of, among(credential))(seq)})`,
  }
}

/** A part of the log: below one record (exclusive), down to another (inclusive). */
type Bounds = { readonly below: number; readonly down_to: number }

const Seq = z.object({ seq: z.number() })

/** Ranges that one query merges; SQLite takes 500. */
const MAX_RANGES = 100

/** The newest `limit` records within bounds that a filter's indexes have and the others match, newest first. */
const newest = async (
  reader: Reader,
  { of, ranges }: Filter,
  others: readonly Filter[],
  { below, down_to }: Bounds,
  limit: number,
): Promise<number[]> => {
  const seq = sql.identifier([of, 'seq'])
  const passes = others.map(({ holds }) => unindexed(holds(sql.fragment`place.seq`)))
  const parts = ranges.map((range) => {
    const places = sql.fragment`SELECT ${seq} AS seq FROM ${sql.identifier([of])} WHERE ${range} AND ${seq} < ${below} AND ${seq} >= ${down_to}`
    return sql.fragment`SELECT place.seq AS seq FROM (${places}) place WHERE ${sql.and([sql.fragment`TRUE`, ...passes])}`
  })
  const found = new Set<number>()
  for (let start = 0; start < parts.length; start += MAX_RANGES) {
    const union = orderedUnion(
      parts.slice(start, start + MAX_RANGES),
      sql.fragment`seq DESC`,
      limit,
      sql.fragment`UNION`,
    )
    const rows = await reader.read(any(union((records) => sql.type(Seq)`${records} LIMIT ${limit}`)))
    for (const row of rows) found.add(row.seq)
  }
  return [...found].sort((a, b) => b - a).slice(0, limit)
}

const MAX_STEP = 2000

/** The newest `limit` records that all filters match. */
const walk = async (
  reader: Reader,
  filters: readonly Filter[],
  { below, down_to }: Bounds,
  limit: number,
): Promise<number[]> => {
  const [only = EVERYTHING] = filters
  if (filters.length <= 1) return newest(reader, only, [], { below, down_to }, limit)
  return walkIndexes<Filter, number, number>({
    leads: filters,
    from: below,
    limit,
    maxStep: MAX_STEP,
    endsOf: async (leads, from, count) => {
      const ends: Array<number | null> = []
      for (const lead of leads) {
        const records = await newest(reader, lead, [], { below: from ?? below, down_to }, count)
        const end = records.length < count ? down_to : (records.at(-1) ?? down_to)
        ends.push(end <= down_to ? null : end)
      }
      return ends
    },
    isFurther: (a, b) => a < b,
    rowsOf: (lead, leads, { from, to }, count) => {
      const others = leads.filter((filter) => filter !== lead)
      return newest(reader, lead, others, { below: from ?? below, down_to: to ?? down_to }, count)
    },
  })
}

/**
 * The first record at or after an instant, or the one that comes next. Numbers are dense and times never go back:
 * halving finds it without an index.
 */
const findFirstAt = (instant: number): Query<number> =>
  mapped(
    one(sql.type(Seq)`
      WITH RECURSIVE halves (low, high) AS (
        SELECT CAST(1 AS bigint), (SELECT coalesce(max(seq), 0) + 1 FROM events)
        UNION ALL
        SELECT CASE WHEN events.recorded_at < ${instant} THEN events.seq + 1 ELSE halves.low END, CASE WHEN events.recorded_at < ${instant} THEN halves.high ELSE events.seq END
        FROM halves CROSS JOIN events WHERE halves.low < halves.high AND events.seq = (halves.low + halves.high) / 2)
      SELECT low AS seq FROM halves WHERE low = high`),
    ({ seq }) => seq,
  )

const Id = z.object({ id: z.string() })

/** Accounts of one name, deleted ones included, that are looked for by it. */
const MAX_PARTS_OF_A_NAME = 200

/**
 * The newest ids that go by a label, today or before: of users and static tokens. Keys are named by their owners as
 * they like, after others too, so a key is found by its id and by its owner alone.
 */
const listLabelled = (label: string): Query<string[]> =>
  mapped(
    any(
      sql.type(
        Id,
      )`SELECT id FROM principals WHERE label = ${label} AND kind <> 'key' ORDER BY id DESC LIMIT ${MAX_PARTS_OF_A_NAME}`,
    ),
    (rows) => rows.map(({ id }) => id),
  )

const Label = z.object({ label: text })

const findLabel = (id: string): Query<string | null> =>
  mapped(maybeOne(sql.type(Label)`SELECT label FROM principals WHERE id = ${id}`), (row) => row?.label ?? null)

/** The id that an actor is shown by: the account rather than one of its keys. */
const shownId = ({ user_id, credential_id }: Actor): string | null => user_id ?? credential_id

/** Records as events, with the labels of those who acted. */
const shown = async (reader: Reader, records: readonly LogRecord[]): Promise<AuditEvent[]> => {
  const told = records.map((record) => ({ record, recorded: recordedOf(record) }))
  const ids = new Set(told.flatMap(({ recorded }) => (recorded ? (shownId(recorded.actor) ?? []) : [])))
  const labels = await reader.readAll(Object.fromEntries([...ids].map((id) => [id, findLabel(id)])))
  return told.map(({ record: { seq, recorded_at, type }, recorded }) => {
    const event = { seq, recorded_at: rfc3339(recorded_at), type }
    if (!recorded) return { ...event, stream: null, version: null, actor: null, request_id: null, data: null }
    const { kind, scope, user_id, credential_id, address } = recorded.actor
    return {
      ...event,
      stream: recorded.stream,
      version: recorded.version,
      actor: { kind, scope, user_id, credential_id, address, label: labels[shownId(recorded.actor) ?? ''] ?? null },
      request_id: recorded.request_id,
      data: recorded.data as Record<string, unknown>,
    }
  })
}

/** Text that is no cursor answers the first page. */
const parseCursor = (cursor: string | undefined): number =>
  /^\d{1,15}$/.test(cursor ?? '') ? Number(cursor) : Number.MAX_SAFE_INTEGER

/**
 * The audit trail, newest first: every event that all filters match. Erased bodies match neither an actor nor a stream.
 */
export const listAudit = async (
  reader: Reader,
  { sees_all }: Viewer,
  { actor, type, stream, since, until }: AuditFilters,
  { limit, cursor }: { readonly limit: number; readonly cursor?: string | undefined },
): Promise<AuditList> => {
  if (!sees_all) return { events: [], next_cursor: null }
  const ids = actor === undefined ? [] : [...new Set([actor, ...(await reader.read(listLabelled(actor)))])]
  const filters = [
    ...(actor === undefined ? [] : [ofActor(ids)]),
    ...(stream === undefined ? [] : [ofStream(stream)]),
    ...(type === undefined ? [] : [ofType(type)]),
  ]
  const bounds = {
    below: Math.min(
      parseCursor(cursor),
      until === undefined ? Number.MAX_SAFE_INTEGER : await reader.read(findFirstAt(until + 1)),
    ),
    down_to: since === undefined ? 1 : await reader.read(findFirstAt(since)),
  }
  const { rows, next_cursor } = page(await walk(reader, filters, bounds, limit + 1), limit, String)
  const records = await reader.readAll(Object.fromEntries(rows.map((seq) => [seq, findRecord(seq)])))
  return {
    events: await shown(
      reader,
      rows.flatMap((seq) => records[seq] ?? []),
    ),
    next_cursor,
  }
}

/** One event with what it takes to recompute its commitment and leaf, or null. */
export const findAuditRecord = async (
  reader: Reader,
  { sees_all }: Viewer,
  seq: number,
): Promise<AuditRecord | null> => {
  const record = sees_all ? await reader.read(findRecord(seq)) : null
  const [event] = record ? await shown(reader, [record]) : []
  if (!record || !event) return null
  const { commitment, leaf, salt, body } = record
  return {
    ...event,
    commitment: commitment.toString('hex'),
    leaf: leaf.toString('hex'),
    salt: salt?.toString('hex') ?? null,
    body,
  }
}
