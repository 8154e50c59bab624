import { sql, withValues } from '../sql.ts'
import type { Dialect, Statement } from '../storage.ts'
import { UNINDEXED } from './index-version.ts'

/** The totals that are maintained as the cache changes. */
export type Total = 'entries' | 'bytes' | 'unindexed' | 'unparseable' | 'hits' | 'misses' | 'removals'

export const FACETS = ['kind', 'model', 'empty_reason'] as const
export type Facet = (typeof FACETS)[number]

/** The columns of an entry that are counted. */
export type Counted = { readonly size: number; readonly rules: number; readonly parseable: boolean | null } & {
  readonly [F in Facet]: string | null
}

export type Counts = {
  /** Counts an entry that was added (1) or removed (-1). */
  readonly entry: (entry: Counted, by: 1 | -1) => void
  readonly total: (name: Total, by: number) => void
  /** The statements that apply the gathered changes. There are few, even if many entries changed. */
  readonly statements: (dialect: Dialect) => Statement[]
}

/** Gathers the changes of one transaction to the counters. */
export const gatherCounts = (): Counts => {
  const totals = new Map<Total, number>()
  const facets: Record<Facet, Map<string, number>> = { kind: new Map(), model: new Map(), empty_reason: new Map() }
  const add = <K>(counts: Map<K, number>, key: K, by: number): void => void counts.set(key, (counts.get(key) ?? 0) + by)
  const total: Counts['total'] = (name, by) => add(totals, name, by)
  return {
    total,
    entry: (entry, by) => {
      total('entries', by)
      total('bytes', by * entry.size)
      if (entry.rules === UNINDEXED) total('unindexed', by)
      if (entry.parseable === false) total('unparseable', by)
      for (const facet of FACETS) {
        const value = entry[facet]
        if (value !== null) add(facets[facet], value, by)
      }
    },
    statements: (dialect) => {
      const changedTotals = [...totals].filter(([, by]) => by !== 0)
      const changedFacets = FACETS.flatMap((facet) =>
        [...facets[facet]].filter(([, by]) => by !== 0).map(([value, by]) => ({ facet, value, by })),
      )
      return STATEMENTS[dialect](changedTotals, changedFacets)
    },
  }
}

type ChangedTotals = ReadonlyArray<readonly [name: Total, by: number]>
type CountedValue = { readonly facet: Facet; readonly value: string; readonly by: number }

const STATEMENTS: Record<Dialect, (totals: ChangedTotals, facets: readonly CountedValue[]) => Statement[]> = {
  sqlite: (totals, facets) => [
    ...totals.map(([name, by]) => withValues(ADD_TO_TOTAL, by, name)),
    ...facets.flatMap(({ facet, value, by }) =>
      by > 0
        ? [withValues(ADD_TO_FACET, facet, value, by)]
        : [withValues(SUBTRACT_FROM_FACET, by, facet, value), withValues(DELETE_EMPTY_FACET, facet, value)],
    ),
  ],
  postgres: (totals, facets) => {
    if (totals.length + facets.length === 0) return []
    const emptied = facets.filter(({ by }) => by < 0)
    return [
      withValues(ADD_ALL, JSON.stringify(totals.map(([name, by]) => ({ name, by }))), JSON.stringify(facets)),
      ...(emptied.length > 0 ? [withValues(DELETE_EMPTY_FACETS, JSON.stringify(emptied))] : []),
    ]
  },
}

// These tokens are built once: every stored entry needs some of them, and building a token takes longer than running
// it. Only the types of the placeholder values matter.
const ADD_TO_TOTAL = sql.unsafe`UPDATE cache_totals SET value = value + ${0} WHERE name = ${''}`
const ADD_TO_FACET = sql.unsafe`
  INSERT INTO cache_facets (facet, value, entries) VALUES (${''}, ${''}, ${0})
  ON CONFLICT (facet, value) DO UPDATE SET entries = cache_facets.entries + excluded.entries`
const SUBTRACT_FROM_FACET = sql.unsafe`UPDATE cache_facets SET entries = entries + ${0} WHERE facet = ${''} AND value = ${''}`
const DELETE_EMPTY_FACET = sql.unsafe`DELETE FROM cache_facets WHERE facet = ${''} AND value = ${''} AND entries <= 0`

// Inserts rows that are missing: a backup may omit the rows of all cache tables, because a cache can be filled again.
const ADD_ALL = sql.unsafe`
  WITH counted AS (
    INSERT INTO cache_totals (name, value)
    SELECT name, by FROM json_to_recordset(CAST(${'[]'} AS json)) AS moved(name text, by bigint)
    ON CONFLICT (name) DO UPDATE SET value = cache_totals.value + excluded.value
  )
  INSERT INTO cache_facets (facet, value, entries)
  SELECT facet, value, by FROM json_to_recordset(CAST(${'[]'} AS json)) AS moved(facet text, value text, by bigint)
  ON CONFLICT (facet, value) DO UPDATE SET entries = cache_facets.entries + excluded.entries`
const DELETE_EMPTY_FACETS = sql.unsafe`
  DELETE FROM cache_facets USING json_to_recordset(CAST(${'[]'} AS json)) AS moved(facet text, value text)
  WHERE cache_facets.facet = moved.facet AND cache_facets.value = moved.value AND cache_facets.entries <= 0`
