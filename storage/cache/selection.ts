import { z } from 'zod'
import { any, mapped, sql, type Fragment } from '../sql.ts'
import type { Query } from '../storage.ts'
import { UNINDEXED } from './index-version.ts'

/**
 * Which entries to evict: those that meet every condition. Null means no condition. The two bounds limit the time when
 * an entry was stored, in epoch milliseconds.
 */
export type CacheSelection = {
  readonly created_before: number | null
  /** Inclusive. */
  readonly created_from: number | null
  /** An entry matches if it has one of these reasons. An empty list matches nothing. */
  readonly empty_reasons: readonly string[] | null
  readonly model: string | null
  readonly kind: string | null
}

/** Whether a selection has a condition that some entry could meet. */
export const hasCondition = ({ created_before, created_from, empty_reasons, model, kind }: CacheSelection): boolean =>
  empty_reasons === null
    ? [created_before, created_from, model, kind].some((bound) => bound !== null)
    : empty_reasons.length > 0

const conditions = ({ created_before, created_from, empty_reasons, model, kind }: CacheSelection): Fragment[] => [
  ...(created_before === null ? [] : [sql.fragment`created_at < ${created_before}`]),
  ...(created_from === null ? [] : [sql.fragment`created_at >= ${created_from}`]),
  ...(empty_reasons === null ? [] : [sql.fragment`empty_reason IN (${sql.join(empty_reasons, sql.fragment`, `)})`]),
  ...(model === null ? [] : [sql.fragment`model = ${model}`]),
  ...(kind === null ? [] : [sql.fragment`kind = ${kind}`]),
]

/** The conditions on one row. They use no index: the queries read entries in another order. */
const selected = (selection: CacheSelection): Fragment =>
  sql.and([sql.fragment`TRUE`, ...conditions(selection).map((condition) => sql.fragment`((${condition}) IS TRUE)`)])

const EntryRow = z.object({ entry_no: z.number(), digest: z.instanceof(Buffer), size: z.number() })
export type EntryRef = z.infer<typeof EntryRow>

/**
 * The first `limit` selected entries with numbers above `after` and up to `upTo`. The query walks entry numbers and
 * never the index of a condition. So the range bounds how many rows are read, even if few match.
 */
export const listSelected = (
  selection: CacheSelection,
  { after, upTo }: { readonly after: number; readonly upTo: number },
  limit: number,
): Query<EntryRef[]> => {
  return any(sql.type(EntryRow)`
    SELECT entry_no, digest, size FROM cache_entries WHERE entry_no > ${after} AND entry_no <= ${upTo} AND ${selected(selection)}
    ORDER BY entry_no LIMIT ${limit}`)
}

const Digest = z.object({ digest: z.instanceof(Buffer) })

/** The least recently used entries; entries of the same moment are ordered by key. */
export const listLeastRecentlyUsed = (limit: number): Query<Buffer[]> =>
  mapped(
    any(sql.type(Digest)`SELECT digest FROM cache_entries ORDER BY last_access_at, digest LIMIT ${limit}`),
    (rows) => rows.map(({ digest }) => digest),
  )

const Used = EntryRow.extend({ last_access_at: z.number() })
export type Used = z.infer<typeof Used>

/** The least recently used entries after the given one, in the same order; null starts at the first. */
export const listUsedAfter = (after: Used | null, limit: number): Query<Used[]> => {
  const condition = after
    ? sql.fragment`WHERE (last_access_at, digest) > (${after.last_access_at}, ${sql.binary(after.digest)})`
    : sql.fragment``
  return any(
    sql.type(Used)`
      SELECT entry_no, digest, size, last_access_at
      FROM cache_entries ${condition}
      ORDER BY last_access_at, digest LIMIT ${limit}`,
  )
}

const EntryGroup = z.object({
  kind: z.string().nullable(),
  model: z.string().nullable(),
  entries: z.number(),
  bytes: z.number(),
  recently_read: z.number(),
  oldest_at: z.number().nullable(),
  newest_at: z.number().nullable(),
  cost_micro: z.number(),
  with_cost: z.number(),
})
/** Entries of one kind and model. `recently_read` counts those that were looked up after they were stored. */
export type EntryGroup = z.infer<typeof EntryGroup>

/** The selected entries with numbers in a range, by kind and model. `recentFrom` is when a recent lookup was at the earliest. */
export const listGroups = (
  selection: CacheSelection,
  { after, upTo }: { readonly after: number; readonly upTo: number },
  recentFrom: number,
): Query<EntryGroup[]> =>
  any(sql.type(EntryGroup)`
    SELECT kind, model, count(*) AS entries, sum(size) AS bytes,
      sum(CASE WHEN last_access_at > created_at AND last_access_at >= ${recentFrom} THEN 1 ELSE 0 END) AS recently_read,
      min(created_at) AS oldest_at, max(created_at) AS newest_at, coalesce(sum(cost_micro), 0) AS cost_micro, count(cost_micro) AS with_cost
    FROM cache_entries WHERE entry_no > ${after} AND entry_no <= ${upTo} AND ${selected(selection)}
    GROUP BY kind, model`)

const UsedEntry = z.object({
  digest: z.instanceof(Buffer),
  size: z.number(),
  created_at: z.number(),
  last_access_at: z.number(),
  kind: z.string().nullable(),
  model: z.string().nullable(),
  cost_micro: z.number().nullable(),
})
export type UsedEntry = z.infer<typeof UsedEntry>

/** The least recently used entries after the given one that are not selected; null starts at the first. */
export const listUsedOutside = (
  selection: CacheSelection,
  after: UsedEntry | null,
  limit: number,
): Query<UsedEntry[]> => {
  const rest = [
    ...(after ? [sql.fragment`(last_access_at, digest) > (${after.last_access_at}, ${sql.binary(after.digest)})`] : []),
    ...(hasCondition(selection) ? [sql.fragment`NOT (${selected(selection)})`] : []),
  ]
  return any(sql.type(UsedEntry)`
    SELECT digest, size, created_at, last_access_at, kind, model, cost_micro FROM cache_entries
    WHERE ${sql.and([sql.fragment`TRUE`, ...rest])} ORDER BY last_access_at, digest LIMIT ${limit}`)
}

/** The entry of a key as a group, or null. */
export const findGroupOf = (digest: Buffer, recentFrom: number): Query<EntryGroup | null> =>
  mapped(
    any(sql.type(EntryGroup)`
      SELECT kind, model, 1 AS entries, size AS bytes,
        CASE WHEN last_access_at > created_at AND last_access_at >= ${recentFrom} THEN 1 ELSE 0 END AS recently_read,
        created_at AS oldest_at, created_at AS newest_at, coalesce(cost_micro, 0) AS cost_micro,
        CASE WHEN cost_micro IS NULL THEN 0 ELSE 1 END AS with_cost
      FROM cache_entries WHERE digest = ${sql.binary(digest)}`),
    ([row]) => row ?? null,
  )

const UnindexedEntry = z.object({ entry_no: z.number(), size: z.number(), rules: z.number() })
export type UnindexedEntry = z.infer<typeof UnindexedEntry>

/** Entries that have not been read yet, then those with an older index version; each group in order of arrival. */
export const listUnindexed = (rules: number, limit: number): Query<UnindexedEntry[]> =>
  any(
    sql.type(UnindexedEntry)`
      SELECT entry_no, size, rules FROM cache_entries
      WHERE rules < ${rules}
      ORDER BY rules, entry_no LIMIT ${limit}`,
  )

/** Entries after the given one that have not been read yet, in order of arrival. */
export const listNew = (after: number, limit: number): Query<UnindexedEntry[]> =>
  any(
    sql.type(UnindexedEntry)`
      SELECT entry_no, size, rules FROM cache_entries
      WHERE rules = ${UNINDEXED} AND entry_no > ${after}
      ORDER BY entry_no LIMIT ${limit}`,
  )

const Count = z.object({ n: z.number() })

/** The number of entries that were read with an older index version and wait to be read again. */
export const countOutdated = (rules: number): Query<number> =>
  mapped(
    any(sql.type(Count)`SELECT count(*) AS n FROM cache_entries WHERE rules > 0 AND rules < ${rules}`),
    ([row]) => row?.n ?? 0,
  )

const Bodies = z.object({ entry_no: z.number(), bytes: z.instanceof(Buffer) })

/** The bodies of entries, by entry number. */
export const listBodies = (entry_nos: readonly number[]): Query<Array<z.infer<typeof Bodies>>> =>
  any(
    sql.type(Bodies)`
      SELECT entry_no, bytes FROM cache_bodies WHERE entry_no IN (${sql.join(entry_nos, sql.fragment`, `)})`,
  )

/**
 * Which entries to evict: the selected ones and, whatever is selected, the least recently used until the total size is
 * at or below `target_bytes`.
 */
export type Eviction = { readonly selection: CacheSelection; readonly target_bytes: number | null }

/**
 * What an eviction would remove. `recently_read` counts entries that were looked up after they were stored, at or after
 * a given time. `cost_micro` is what the entries whose cost is known have cost, and `with_cost` is their number. Times
 * are epoch milliseconds.
 */
export type Removed = Omit<EntryGroup, 'kind' | 'model'>

export type EvictionPreview = Removed & {
  /** The largest groups by kind and model, and the sum of all others. */
  readonly groups: readonly EntryGroup[]
  readonly other: Removed
  /** All entries of the cache. */
  readonly total: { readonly entries: number; readonly bytes: number }
}
