import { readdirSync } from 'node:fs'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { aBody, cacheKeyOf } from '../support/documents/cache-bodies.ts'
import { freshDatabase } from '../support/stores/fresh-database.ts'
import type { FreshDatabase } from '../support/postgres/databases.ts'
import { queryRows, startReplicas, countByStatus, inRotation, type Replica } from '../support/servers/replicas.ts'

let database: FreshDatabase
let replicas: readonly Replica[]
const replicaAt = (n: number): Replica => inRotation(replicas, n)

const put = (n: number, name: string, body: string) => replicaAt(n).ask('PUT', `/cache/${cacheKeyOf(name)}`, { body })
const get = (n: number, name: string) => replicaAt(n).ask('GET', `/cache/${cacheKeyOf(name)}`)
const remove = (n: number, name: string) => replicaAt(n).ask('DELETE', `/cache/entries/${cacheKeyOf(name)}`)
const prune = async (n: number, query: string): Promise<number> =>
  Number((await replicaAt(n).ask('POST', `/cache/prune?${query}`)).body['pruned'])
/** Returns the counters from replica 1. Replica 0 writes its own counters first, because it is asked too. */
const stats = async (): Promise<Record<string, unknown>> => {
  await replicaAt(0).ask('GET', '/cache/stats')
  return (await replicaAt(1).ask('GET', '/cache/stats')).body
}
const text = (fields: Readonly<Record<string, unknown>> = {}): string => String(aBody(fields))

describe('two replicas that share the cache', () => {
  beforeAll(async () => {
    database = await freshDatabase()
    replicas = await startReplicas(2, database.appUrl)
  })
  afterAll(async () => {
    await Promise.all(replicas.map((replica) => replica.stop()))
    await database.close()
  })

  it('store the first of fifty concurrent bodies, and serve only that one', async () => {
    const bodies = Array.from({ length: 50 }, (_, n) => text({ output: `answer ${n}` }))
    const answers = await Promise.all(bodies.map((body, n) => put(n, 'raced', body)))
    expect(countByStatus(answers)).toEqual({ 200: 49, 201: 1 })
    const first = bodies[answers.findIndex(({ status }) => status === 201)]
    // Twice on each replica: the second time from memory.
    for (let n = 0; n < 4; n++) expect((await get(n, 'raced')).text).toBe(first)
    expect((await replicaAt(1).ask('GET', '/cache/entries')).body).toMatchObject({
      entries: [{ key: cacheKeyOf('raced') }],
      next_cursor: null,
    })
    expect(await prune(0, 'target_bytes=0')).toBe(1)
  })

  it('never serve from memory a body that the other has already removed', async () => {
    const step = fc.record({
      what: fc.constantFrom('put', 'put', 'get', 'get', 'get', 'head', 'remove', 'prune'),
      n: fc.nat(1),
      name: fc.constantFrom('a', 'b', 'c'),
      model: fc.constantFrom('m', 'n'),
    })
    let puts = 0
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 30 }), async (steps) => {
        const there = new Map<string, { readonly body: string; readonly model: string }>()
        for (const { what, n, name, model } of steps) {
          const stored = there.get(name)
          if (what === 'put') {
            const body = text({ model, output: `${puts++}` })
            expect((await put(n, name, body)).status).toBe(stored ? 200 : 201)
            if (!stored) there.set(name, { body, model })
          } else if (what === 'remove') {
            expect((await remove(n, name)).status).toBe(stored ? 204 : 404)
            there.delete(name)
          } else if (what === 'prune') {
            const pruned = [...there].filter(([, entry]) => entry.model === model)
            expect(await prune(n, `model=${model}`)).toBe(pruned.length)
            for (const [key] of pruned) there.delete(key)
          } else if (what === 'head')
            expect((await replicaAt(n).ask('HEAD', `/cache/${cacheKeyOf(name)}`)).status).toBe(stored ? 200 : 404)
          else {
            const { status, text: found } = await get(n, name)
            expect([status, status === 200 ? found : null]).toEqual(stored ? [200, stored.body] : [404, null])
          }
        }
        await prune(0, 'target_bytes=0')
      }),
      { numRuns: 25 },
    )
  })

  it('count the lookups on both', async () => {
    const before = await stats()
    await put(0, 'counted', text())
    for (let n = 0; n < 10; n++) await get(n, 'counted')
    for (let n = 0; n < 4; n++) await get(n, 'missing')
    const after = await stats()
    expect([
      Number(after['hits']) - Number(before['hits']),
      Number(after['misses']) - Number(before['misses']),
    ]).toEqual([10, 4])
    await prune(0, 'target_bytes=0')
  })

  it('prune each entry once when both prune concurrently', async () => {
    await Promise.all(Array.from({ length: 300 }, (_, n) => put(n, `many ${n}`, text({ model: 'm' }))))
    const pruned = await Promise.all([prune(0, 'model=m'), prune(1, 'model=m&kind=provider')])
    expect(pruned.reduce((a, b) => a + b)).toBe(300)
    expect((await replicaAt(0).ask('GET', '/cache/stats')).body).toMatchObject({ entries: 0, total_bytes: 0 })
    for (let n = 0; n < 10; n++) expect((await get(n, `many ${n}`)).status).toBe(404)
  })

  it('forget bodies in memory after the database was away: it may have lost entries', async () => {
    await put(0, 'lost', text())
    for (let n = 0; n < 4; n++) expect((await get(n, 'lost')).status).toBe(200)
    // As after a crash: no removal was counted, but the entry is missing.
    await queryRows(
      database.superUrl,
      'WITH e AS (DELETE FROM cache_entries RETURNING entry_no) DELETE FROM cache_bodies WHERE entry_no IN (SELECT entry_no FROM e)',
    )
    await queryRows(
      database.superUrl,
      'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
    )
    for (let n = 0; n < 2; n++)
      await expect.poll(async () => (await get(n, 'lost')).status, { timeout: 30_000 }).toBe(404)
  })

  it('leave nothing in their state directories', async () => {
    await put(0, 'kept', text())
    for (const { dataDir } of replicas) expect(readdirSync(dataDir)).toEqual([])
  })
})
