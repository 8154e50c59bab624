import { readdirSync } from 'node:fs'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { aBody, cacheKeyOf } from '../support/documents/cache-bodies.ts'
import { freshDatabase } from '../support/stores/fresh-database.ts'
import type { FreshDatabase } from '../support/postgres/databases.ts'
import { rowsOf, startReplicas, tally, turn } from '../support/servers/replicas.ts'
import type { Replica } from '../support/servers/replicas.ts'

let database: FreshDatabase
let replicas: readonly Replica[]
const on = (n: number): Replica => turn(replicas, n)

const put = (n: number, name: string, body: string) => on(n).ask('PUT', `/cache/${cacheKeyOf(name)}`, { body })
const get = (n: number, name: string) => on(n).ask('GET', `/cache/${cacheKeyOf(name)}`)
const remove = (n: number, name: string) => on(n).ask('DELETE', `/cache/entries/${cacheKeyOf(name)}`)
const prune = async (n: number, query: string): Promise<number> =>
  Number((await on(n).ask('POST', `/cache/prune?${query}`)).body['pruned'])
/** Each adds its own when it is asked. */
const stats = async (): Promise<Record<string, unknown>> => {
  await on(0).ask('GET', '/cache/stats')
  return (await on(1).ask('GET', '/cache/stats')).body
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

  it('keep the first of fifty bodies that are put under one key at once, and serve that one alone', async () => {
    const bodies = Array.from({ length: 50 }, (_, n) => text({ output: `answer ${n}` }))
    const answers = await Promise.all(bodies.map((body, n) => put(n, 'raced', body)))
    expect(tally(answers)).toEqual({ 200: 49, 201: 1 })
    const first = bodies[answers.findIndex(({ status }) => status === 201)]
    // Each twice: the second time from memory.
    for (let n = 0; n < 4; n++) expect((await get(n, 'raced')).text).toBe(first)
    expect((await on(1).ask('GET', '/cache/entries')).body).toMatchObject({
      entries: [{ key: cacheKeyOf('raced') }],
      next_cursor: null,
    })
    expect(await prune(0, 'target_bytes=0')).toBe(1)
  })

  it('never serve from memory what was gone on the other before it was asked for', async () => {
    const step = fc.record({
      what: fc.constantFrom('put', 'put', 'get', 'get', 'get', 'head', 'remove', 'prune'),
      at: fc.nat(1),
      name: fc.constantFrom('a', 'b', 'c'),
      model: fc.constantFrom('m', 'n'),
    })
    let puts = 0
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 30 }), async (steps) => {
        const there = new Map<string, { readonly body: string; readonly model: string }>()
        for (const { what, at, name, model } of steps) {
          const known = there.get(name)
          if (what === 'put') {
            const body = text({ model, output: `${puts++}` })
            expect((await put(at, name, body)).status).toBe(known ? 200 : 201)
            if (!known) there.set(name, { body, model })
          } else if (what === 'remove') {
            expect((await remove(at, name)).status).toBe(known ? 204 : 404)
            there.delete(name)
          } else if (what === 'prune') {
            const gone = [...there].filter(([, each]) => each.model === model)
            expect(await prune(at, `model=${model}`)).toBe(gone.length)
            for (const [each] of gone) there.delete(each)
          } else if (what === 'head')
            expect((await on(at).ask('HEAD', `/cache/${cacheKeyOf(name)}`)).status).toBe(known ? 200 : 404)
          else {
            const { status, text: found } = await get(at, name)
            expect([status, status === 200 ? found : null]).toEqual(known ? [200, known.body] : [404, null])
          }
        }
        await prune(0, 'target_bytes=0')
      }),
      { numRuns: 25 },
    )
  })

  it('count the lookups of both', async () => {
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

  it('prune each entry once when both are told to at once, and record what each took', async () => {
    await Promise.all(Array.from({ length: 300 }, (_, n) => put(n, `many ${n}`, text({ model: 'm' }))))
    const pruned = await Promise.all([prune(0, 'model=m'), prune(1, 'model=m&kind=provider')])
    expect(pruned.reduce((a, b) => a + b)).toBe(300)
    expect((await on(0).ask('GET', '/cache/stats')).body).toMatchObject({ entries: 0, total_bytes: 0 })
    for (let n = 0; n < 10; n++) expect((await get(n, `many ${n}`)).status).toBe(404)
  })

  it('forget what is in memory when the database was away: it may have lost the last entries', async () => {
    await put(0, 'lost', text())
    for (let n = 0; n < 4; n++) expect((await get(n, 'lost')).status).toBe(200)
    // As a crash leaves it: nothing was removed, the entry is just not there.
    await rowsOf(
      database.superUrl,
      'WITH e AS (DELETE FROM cache_entries RETURNING entry_no) DELETE FROM cache_bodies WHERE entry_no IN (SELECT entry_no FROM e)',
    )
    await rowsOf(
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
