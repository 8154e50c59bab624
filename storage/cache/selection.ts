import { z } from 'zod'
import { any, mapped, sql } from '../sql.ts'
import type { Fragment } from '../sql.ts'
import type { Query } from '../storage.ts'

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
  const checks = conditions(selection).map((condition) => sql.fragment`((${condition}) IS TRUE)`)
  return any(sql.type(EntryRow)`
    SELECT entry_no, digest, size FROM cache_entries WHERE entry_no > ${after} AND entry_no <= ${upTo} AND ${sql.and([sql.fragment`TRUE`, ...checks])}
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
    sql.type(
      Used,
    )`SELECT entry_no, digest, size, last_access_at FROM cache_entries ${condition} ORDER BY last_access_at, digest LIMIT ${limit}`,
  )
}

const UnindexedEntry = z.object({ entry_no: z.number(), size: z.number(), rules: z.number() })
export type UnindexedEntry = z.infer<typeof UnindexedEntry>

/** Entries that have not been read yet, then those with an older index version; each group in order of arrival. */
export const listUnindexed = (rules: number, limit: number): Query<UnindexedEntry[]> =>
  any(
    sql.type(
      UnindexedEntry,
    )`SELECT entry_no, size, rules FROM cache_entries WHERE rules < ${rules} ORDER BY rules, entry_no LIMIT ${limit}`,
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
    sql.type(
      Bodies,
    )`SELECT entry_no, bytes FROM cache_bodies WHERE entry_no IN (${sql.join(entry_nos, sql.fragment`, `)})`,
  )

/**
 * Which entries to evict: the selected ones and, whatever is selected, the least recently used until the total size is
 * at or below `target_bytes`.
 */
export type Eviction = { readonly selection: CacheSelection; readonly target_bytes: number | null }
