import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { entryIndex } from '../../../runtime/cache/indexing.ts'
import {
  keyDigest,
  findBody,
  findSize,
  findTotal,
  indexEntries,
  digestKey,
  recordUse,
  putEntries,
  removeEntries,
} from '../../../storage/cache/entries.ts'
import type { CacheStore } from '../../../storage/cache/store.ts'
import { aBody, cacheKeyOf } from '../../support/documents/cache-bodies.ts'
import { emptyCache, openCacheStore, putAll } from '../../support/stores/cache-store.ts'
import { onPostgres } from '../../support/stores/open-fresh.ts'
import type { PlainSql } from '../../support/stores/plain-sql.ts'

const digest = (name: string): Buffer => keyDigest(cacheKeyOf(name))

it('a key converts to its digest and back', () => expect(digestKey(keyDigest(cacheKeyOf('x')))).toBe(cacheKeyOf('x')))

describe('entries', () => {
  it('keep the first body of a key, within a group and across groups', async () => {
    const { store, close } = await openCacheStore()
    const entry = (text: string) => ({ digest: digest('a'), bytes: Buffer.from(text), index: null })
    expect(await store.change(putEntries([entry('1'), entry('2')], { at: 1, rules: 1 }))).toEqual([true, false])
    expect(
      await store.change(putEntries([entry('3'), { ...entry('4'), digest: digest('b') }], { at: 2, rules: 1 })),
    ).toEqual([false, true])
    expect(String(await store.read(findBody(digest('a'))))).toBe('1')
    expect(await store.read(findSize(digest('b')))).toBe(1)
    await close()
  })

  it('are removed down to the target and no further', async () => {
    const { store, close } = await openCacheStore()
    await putAll(store, { a: Buffer.alloc(10), b: Buffer.alloc(10), c: Buffer.alloc(10) })
    const removed = await store.change(removeEntries([digest('b'), digest('none'), digest('a'), digest('c')], 15))
    expect(removed).toEqual({ digests: [digest('b'), digest('a')], bytes: 20 })
    expect(await store.read(findTotal('bytes'))).toBe(10)
    await close()
  })

  it('never move their last access back in time', async () => {
    const { store, sql, close } = await openCacheStore()
    await putAll(store, { a: aBody() }, { at: 1000 })
    await store.change(
      recordUse({
        hits: 2,
        misses: 3,
        accesses: [
          [digest('a'), 2000],
          [digest('none'), 5000],
        ],
      }),
    )
    await store.change(recordUse({ hits: 1, misses: 0, accesses: [[digest('a'), 1500]] }))
    expect(await sql.column('SELECT last_access_at FROM cache_entries')).toEqual([2000])
    expect([await store.read(findTotal('hits')), await store.read(findTotal('misses'))]).toEqual([3, 3])
    await close()
  })
})

const WITH_WORD = onPostgres ? "words @> '{hello}'" : "cache_search MATCH 'hello'"

/** The maintained counters, and the same numbers counted from the entries. */
const counts = async ({ rows }: PlainSql) => {
  const valuesOf = async (text: string): Promise<unknown[][]> => (await rows(text)).map((row) => Object.values(row))
  const facets: unknown[][] = []
  for (const facet of ['empty_reason', 'kind', 'model'])
    facets.push(
      ...(await valuesOf(
        `SELECT '${facet}' AS facet, ${facet} AS value, count(*) AS entries FROM cache_entries WHERE ${facet} IS NOT NULL GROUP BY ${facet} ORDER BY ${facet}`,
      )),
    )
  return {
    counters: [
      await valuesOf(
        "SELECT name, value FROM cache_totals WHERE name NOT IN ('hits', 'misses', 'removals', 'worded') ORDER BY name",
      ),
      await valuesOf('SELECT facet, value, entries FROM cache_facets ORDER BY facet, value'),
    ],
    actual: [
      await valuesOf(`
        SELECT 'bytes' AS name, coalesce(sum(size), 0) AS n FROM cache_entries UNION ALL SELECT 'entries', count(*) FROM cache_entries
        UNION ALL SELECT 'unindexed', count(*) FROM cache_entries WHERE rules = 0
        UNION ALL SELECT 'unparseable', count(*) FROM cache_entries WHERE NOT parseable
        ORDER BY name`),
      facets,
    ],
    bodies: await valuesOf(
      `SELECT (SELECT count(*) FROM cache_bodies) - (SELECT count(*) FROM cache_entries) AS n,
        (SELECT coalesce(sum(length(bytes)), 0) FROM cache_bodies) - (SELECT coalesce(sum(size), 0) FROM cache_entries) AS size`,
    ),
    words: await valuesOf(
      `SELECT count(*) AS n FROM cache_search WHERE ${WITH_WORD} AND rowid NOT IN (SELECT entry_no FROM cache_entries)`,
    ),
  }
}

it('the counters equal the stored entries after any puts, removals and reindexing', async () => {
  const name = fc.constantFrom('a', 'b', 'c', 'd', 'e')
  const body = fc.record({
    kind: fc.constantFrom('provider', 'judge'),
    model: fc.constantFrom('m', 'n', undefined),
    empty_reason: fc.constantFrom('blank', undefined),
    broken: fc.boolean(),
    indexed: fc.boolean(),
  })
  const step = fc.oneof(
    fc.record({ put: fc.array(fc.tuple(name, body), { minLength: 1, maxLength: 4 }) }),
    fc.record({ remove: fc.array(name, { minLength: 1, maxLength: 3 }), target: fc.constantFrom(null, 0, 150) }),
    fc.record({ reindex: fc.integer({ min: 1, max: 3 }) }),
  )
  const bytesOf = ({ broken, indexed: _, ...fields }: { broken: boolean; indexed: boolean }): Buffer =>
    broken ? Buffer.from('{') : aBody(fields)
  const run = async (
    store: CacheStore,
    change: typeof step extends fc.Arbitrary<infer S> ? S : never,
    { rows: query }: PlainSql,
  ): Promise<void> => {
    if ('put' in change) {
      const entries = change.put.map(([key, body]) => ({
        digest: digest(key),
        bytes: bytesOf(body),
        index: body.indexed ? entryIndex(bytesOf(body)) : null,
      }))
      await store.change(putEntries(entries, { at: 1, rules: 1 }))
    } else if ('remove' in change) await store.change(removeEntries(change.remove.map(digest), change.target))
    else {
      const rows = (await query('SELECT entry_no, bytes FROM cache_bodies')) as Array<{
        entry_no: number
        bytes: Buffer
      }>
      if (rows.length > 0)
        await store.change(
          indexEntries(
            rows.map(({ entry_no, bytes }) => ({ entry_no, index: entryIndex(bytes) })),
            change.reindex,
          ),
        )
    }
  }
  const { store, sql, close } = await openCacheStore()
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
      await emptyCache({ sql })
      for (const change of steps) await run(store, change, sql)
      const { counters, actual, bodies, words } = await counts(sql)
      expect(counters).toEqual(actual)
      expect([bodies, words]).toEqual([[[0, 0]], [[0]]])
    }),
    { numRuns: 40 },
  )
  await close()
})
