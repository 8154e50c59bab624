import { afterEach, describe, expect, it } from 'vitest'
import { smallDocument } from '../support/documents/small-document.ts'
import { RAISED, SOURCES } from '../support/servers/program.ts'
import { startReplicas, type Replica } from '../support/servers/replicas.ts'
import { databaseStore, queryArrays } from '../support/stores/database.ts'
import { differencesIn } from '../support/stores/deep-comparison.ts'
import { freshDatabase } from '../support/stores/fresh-database.ts'

const closes: Array<() => Promise<unknown>> = []
afterEach(async () => {
  for (const close of closes.splice(0).toReversed()) await close()
})

const start = async (...args: Parameters<typeof startReplicas>): Promise<readonly Replica[]> => {
  const replicas = await startReplicas(...args)
  closes.push(...replicas.map((replica) => () => replica.stop()))
  return replicas
}
const upload = ({ ask }: Replica, run_id: string) => ask('POST', '/runs', { body: smallDocument(run_id) })
const search = async ({ ask }: Replica): Promise<string[]> => {
  const { text } = await ask('GET', '/search?q=plain')
  return [...new Set(text.match(/(?<="run_id":")[^"]+/g))].toSorted()
}
const hasBuilt = ({ log }: Replica): boolean => log.some(({ msg }) => msg === 'the read models are built')

describe('replicas of a build whose search is of a newer version', () => {
  it('serve next to an old one while nothing is built, and one goes on when the builder was killed', async () => {
    const database = await freshDatabase()
    closes.push(database.close)
    const url = database.ownerUrl
    const [old] = await start(1, url)
    if (!old) throw new Error('the replica is missing')
    expect((await upload(old, 'first')).status).toBe(201)
    // The lease of a builder that was killed a moment ago.
    const until = Date.now() + 3_600_000
    await queryArrays(
      url,
      `INSERT INTO rebuilds (one, plan, position, models, holder, until) VALUES (1, '', 0, '["search"]', 'killed', ${until})`,
    )

    const upgraded = await start(2, url, RAISED, SOURCES)
    const replicas = [old, ...upgraded]
    for (const [n, replica] of replicas.entries()) {
      expect((await upload(replica, `during-${n}`)).status).toBe(201)
      expect((await replica.ask('GET', '/runs?limit=5')).status).toBe(200)
    }
    const all = ['during-0', 'during-1', 'during-2', 'first']
    for (const replica of replicas) expect(await search(replica)).toEqual(all)
    expect(upgraded.some(hasBuilt)).toBe(false)

    await queryArrays(url, 'UPDATE rebuilds SET until = 0')
    await expect.poll(() => upgraded.filter(hasBuilt).length, { timeout: 60_000 }).toBe(1)
    for (const replica of upgraded) expect((await upload(replica, `after-${replica.url}`)).status).toBe(201)
    for (const replica of upgraded) expect(await search(replica)).toHaveLength(6)
    expect((await upload(old, 'late')).status).toBe(503)
    await queryArrays(url, "UPDATE projections SET version = version - 1 WHERE name = 'search'")
    expect(await differencesIn(databaseStore(url))).toBeNull()
  })
})
