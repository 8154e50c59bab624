import { z } from 'zod'
import type { Actor } from '../storage/command.ts'
import { findRecord, recordedOf, type LogRecord } from '../storage/log/records.ts'
import { any, mapped, maybeOne, one, orderedUnion, sql, type Fragment } from '../storage/sql.ts'
import type { Query, Reader } from '../storage/storage.ts'
import { SCOPES, type Viewer } from './access/viewer.ts'
import { unindexed, walkIndexes } from './index-walk.ts'
import { page, rfc3339 } from '../domain/wire.ts'

// The log as users read it. An event may name any run set, so only viewers who see every run set may read it.

const text = z.string().nullable()
const count = z.number().int()

/** The actor, with the current label of its id. */
const AuditActor = z
  .object({
    kind: z.enum(['anonymous', 'static', 'session', 'apikey', 'cli', 'system']),
    scope: z.enum(SCOPES).nullable(),
    user_id: text,
    credential_id: text,
    address: text,
    label: text,
  })
  .meta({ id: 'AuditActor' })

/** One event. Fields of the body are null if the body was erased. */
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

/** One event with the data from which its leaf of the Merkle tree is computed. */
export const AuditRecord = AuditEvent.extend({ commitment: z.string(), leaf: z.string(), salt: text, body: text }).meta(
  { id: 'AuditRecord' },
)
export type AuditRecord = z.infer<typeof AuditRecord>

/** Filters of the audit trail. `stream` is one stream, or a prefix of stream names if it ends in a slash. */
export type AuditFilters = {
  readonly actor?: string | undefined
  readonly type?: string | undefined
  readonly stream?: string | undefined
  readonly since?: number | undefined
  readonly until?: number | undefined
}

type Table = 'events' | 'event_bodies'

/**
 * A filter of the log, in two forms. `ranges` are conditions on the table `of`; each can be read in the order of an
 * index, and together they select all matches. `holds` is the same filter as a condition on one record, given its
 * number.
 */
type Filter = { readonly of: Table; readonly ranges: readonly Fragment[]; readonly holds: (seq: Fragment) => Fragment }

/**
 * Whether a record is in a range. The number is compared as a range too, so that the database reads only the index and
 * no rows.
 */
const within =
  (of: Table, range: Fragment) =>
  (seq: Fragment): Fragment => {
    const same = sql.identifier([of, 'seq'])
    return sql.fragment`EXISTS (SELECT 1 FROM ${sql.identifier([of])} WHERE ${range} AND ${same} >= ${seq} AND ${same} <= ${seq})`
  }

const rangeFilter = (of: Table, range: Fragment): Filter => ({ of, ranges: [range], holds: within(of, range) })

const EVERYTHING = rangeFilter('events', sql.fragment`TRUE`)

const typeFilter = (type: string): Filter => rangeFilter('events', sql.fragment`events.type = ${type}`)

const streamFilter = (stream: string): Filter => {
  if (!stream.endsWith('/')) return rangeFilter('event_bodies', sql.fragment`event_bodies.stream = ${stream}`)
  // A prefix with one part is a kind. A longer prefix is a parent: stream names have at most one part after it.
  const column = stream.indexOf('/') === stream.length - 1 ? 'stream_kind' : 'stream_parent'
  return rangeFilter('event_bodies', sql.fragment`${sql.identifier(['event_bodies', column])} = ${stream}`)
}

const actorFilter = (ids: readonly string[]): Filter => {
  const table = 'event_bodies'
  const [user, credential] = [sql.fragment`event_bodies.actor_user`, sql.fragment`event_bodies.actor_credential`]
  const among = (column: Fragment): Fragment => sql.fragment`${column} IN (${sql.join(ids, sql.fragment`, `)})`
  return {
    of: table,
    // A record may name both an account and its credential, and so be in two ranges. UNION removes the duplicate.
    ranges: [user, credential].flatMap((column) => ids.map((id) => sql.fragment`${column} = ${id}`)),
    holds: (seq) => sql.fragment`(${within(table, among(user))(seq)} OR ${within(table, among(credential))(seq)})`,
  }
}

/** A part of the log: below one record (exclusive), down to another (inclusive). */
type Bounds = { readonly below: number; readonly down_to: number }

const Seq = z.object({ seq: z.number() })

/** Maximum number of ranges that one query merges. SQLite allows 500. */
const MAX_RANGES = 100

/**
 * The newest `limit` records within the bounds that match all filters, newest first. They are read from the indexes of
 * the first filter, and the others are checked for each record.
 */
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
    const places = sql.fragment`
      SELECT ${seq} AS seq FROM ${sql.identifier([of])}
      WHERE ${range} AND ${seq} < ${below} AND ${seq} >= ${down_to}`
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
 * The first record at or after an instant, or the next number to be assigned. Numbers are dense and times never
 * decrease, so a binary search finds it without an index.
 */
const findFirstAt = (instant: number): Query<number> =>
  mapped(
    one(sql.type(Seq)`
      WITH RECURSIVE halves (low, high) AS (
        SELECT CAST(1 AS bigint), (SELECT coalesce(max(seq), 0) + 1 FROM events)
        UNION ALL
        SELECT CASE WHEN events.recorded_at < ${instant} THEN events.seq + 1 ELSE halves.low END,
          CASE WHEN events.recorded_at < ${instant} THEN halves.high ELSE events.seq END
        FROM halves CROSS JOIN events WHERE halves.low < halves.high AND events.seq = (halves.low + halves.high) / 2)
      SELECT low AS seq FROM halves WHERE low = high`),
    ({ seq }) => seq,
  )

const Id = z.object({ id: z.string() })

/** Maximum number of accounts with one name, deleted ones included, that a search by name finds. */
const MAX_NAMESAKES = 200

/**
 * The newest ids with a label, of current and deleted users and static tokens. Owners choose the names of keys freely,
 * also names of other accounts, so a key is found only by its id and by its owner.
 */
const listLabelled = (label: string): Query<string[]> =>
  mapped(
    any(
      sql.type(Id)`
        SELECT id FROM principals
        WHERE label = ${label} AND kind <> 'key'
        ORDER BY id DESC LIMIT ${MAX_NAMESAKES}`,
    ),
    (rows) => rows.map(({ id }) => id),
  )

const Label = z.object({ label: text })

const findLabel = (id: string): Query<string | null> =>
  mapped(maybeOne(sql.type(Label)`SELECT label FROM principals WHERE id = ${id}`), (row) => row?.label ?? null)

/** The id that represents an actor: its account, otherwise its credential. */
const actorId = ({ user_id, credential_id }: Actor): string | null => user_id ?? credential_id

/** Records as events, with the labels of their actors. */
const auditEvents = async (reader: Reader, records: readonly LogRecord[]): Promise<AuditEvent[]> => {
  const entries = records.map((record) => ({ record, recorded: recordedOf(record) }))
  const ids = new Set(entries.flatMap(({ recorded }) => (recorded ? (actorId(recorded.actor) ?? []) : [])))
  const labels = await reader.readAll(Object.fromEntries([...ids].map((id) => [id, findLabel(id)])))
  return entries.map(({ record: { seq, recorded_at, type }, recorded }) => {
    const event = { seq, recorded_at: rfc3339(recorded_at), type }
    if (!recorded) return { ...event, stream: null, version: null, actor: null, request_id: null, data: null }
    const { kind, scope, user_id, credential_id, address } = recorded.actor
    return {
      ...event,
      stream: recorded.stream,
      version: recorded.version,
      actor: { kind, scope, user_id, credential_id, address, label: labels[actorId(recorded.actor) ?? ''] ?? null },
      request_id: recorded.request_id,
      data: recorded.data as Record<string, unknown>,
    }
  })
}

/** Returns the record number in a cursor. If the text is not a cursor, the list starts with the first page. */
const parseCursor = (cursor: string | undefined): number =>
  /^\d{1,15}$/.test(cursor ?? '') ? Number(cursor) : Number.MAX_SAFE_INTEGER

type Page = { readonly limit: number; readonly cursor?: string | undefined }

/** A page of the records that all filters match, newest first. */
const readMatching = async (
  reader: Reader,
  { sees_all }: Viewer,
  { actor, type, stream, since, until }: AuditFilters,
  { limit, cursor }: Page,
): Promise<{ readonly records: readonly LogRecord[]; readonly next_cursor: string | null }> => {
  if (!sees_all) return { records: [], next_cursor: null }
  const ids = actor === undefined ? [] : [...new Set([actor, ...(await reader.read(listLabelled(actor)))])]
  const filters = [
    ...(actor === undefined ? [] : [actorFilter(ids)]),
    ...(stream === undefined ? [] : [streamFilter(stream)]),
    ...(type === undefined ? [] : [typeFilter(type)]),
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
  return { records: rows.flatMap((seq) => records[seq] ?? []), next_cursor }
}

/**
 * The audit trail, newest first: every event that all filters match. Erased bodies match neither an actor nor a stream.
 */
export const listAudit = async (
  reader: Reader,
  viewer: Viewer,
  filters: AuditFilters,
  page: Page,
): Promise<AuditList> => {
  const { records, next_cursor } = await readMatching(reader, viewer, filters, page)
  return { events: await auditEvents(reader, records), next_cursor }
}

const RECORDS_PER_PAGE = 200

/**
 * All events of `listAudit` as JSON lines, a page at a time; with `full`, each as `findAuditRecord` returns it. Together
 * they are one list, because new events do not change the pages of a list. `mayContinue` is called before each further
 * page, because a slow client may take hours. Throws if it returns false.
 */
export async function* exportAudit(
  reader: Reader,
  viewer: Viewer,
  filters: AuditFilters,
  { full, mayContinue }: { readonly full: boolean; readonly mayContinue: () => Promise<boolean> },
): AsyncGenerator<string> {
  let cursor: string | undefined
  do {
    if (cursor !== undefined && !(await mayContinue())) throw new Error('the audit trail may not be read any more')
    const { records, next_cursor } = await readMatching(reader, viewer, filters, { limit: RECORDS_PER_PAGE, cursor })
    const events = await auditEvents(reader, records)
    const lines = records.map((record, i) => JSON.stringify(full ? { ...events[i], ...proofOf(record) } : events[i]))
    if (lines.length > 0) yield `${lines.join('\n')}\n`
    cursor = next_cursor ?? undefined
  } while (cursor !== undefined)
}

/** The data from which the leaf of a record is computed. */
const proofOf = ({ commitment, leaf, salt, body }: LogRecord) => ({
  commitment: commitment.toString('hex'),
  leaf: leaf.toString('hex'),
  salt: salt?.toString('hex') ?? null,
  body,
})

/** One event with the data to recompute its commitment and leaf, or null. */
export const findAuditRecord = async (
  reader: Reader,
  { sees_all }: Viewer,
  seq: number,
): Promise<AuditRecord | null> => {
  const record = sees_all ? await reader.read(findRecord(seq)) : null
  const [event] = record ? await auditEvents(reader, [record]) : []
  return record && event ? { ...event, ...proofOf(record) } : null
}
