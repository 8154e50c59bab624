import { afterEach, describe, expect, it } from 'vitest'
import { SEARCH_TABLES } from '../../../storage/search/search-index.ts'
import { smallDocument } from '../../support/documents/small-document.ts'
import { isPoolerInstalled, startPooler } from '../../support/postgres/pooler.ts'
import { startServer, type RunningServer } from '../../support/servers/server.ts'
import { queryArrays, tablesOf } from '../../support/stores/database.ts'
import { freshDatabase } from '../../support/stores/fresh-database.ts'

const UNPREPARED = { SERVICE_DATABASE_PREPARED_STATEMENTS: 'false', SERVICE_MCP_ENABLED: 'true' }
const SEARCH = Object.values(SEARCH_TABLES)

const askOn = async ({ url, token }: RunningServer, path: string, init: RequestInit = {}) => {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const answer = await fetch(`${url}/api/v1${path}`, { headers, ...init })
  const text = await answer.text()
  expect(answer.status, `${path}: ${text}`).toBeLessThan(300)
  return JSON.parse(text) as Record<string, unknown>
}

describe.runIf(isPoolerInstalled)('the service behind a pooler in transaction mode', () => {
  const stops: Array<() => Promise<unknown>> = []
  afterEach(async () => {
    for (const stop of stops.splice(0).toReversed()) await stop()
  })

  const open = async (role: 'appUrl' | 'ownerUrl' = 'appUrl') => {
    const database = await freshDatabase()
    stops.push(database.close)
    const pooler = await startPooler(database[role])
    stops.push(pooler.stop)
    const start = async (env: Readonly<Record<string, string>> = {}) =>
      startServer({ env: { SERVICE_DATABASE_URL: pooler.url, SERVICE_DATABASE_WAIT_MS: '0', ...env } })
    return { start, database }
  }

  it('starts, stores, lists and searches with its default settings, without prepared statements', async () => {
    const { start } = await open()
    const replicas = [await start(UNPREPARED), await start(UNPREPARED)]
    stops.push(...replicas.map((replica) => () => replica.stop()))
    const ask = (n: number, path: string, init?: RequestInit) => askOn(replicas[n % 2]!, path, init)
    // More at once than the pooler has sessions, so that sessions change hands.
    await Promise.all(
      Array.from({ length: 24 }, (_, n) => ask(n, '/runs', { method: 'POST', body: smallDocument(`run-${n}`) })),
    )
    const reads = ['/runs?limit=100', '/search?q=word', '/runs/run-3', '/runs/run-3/cases', '/sets', '/log/checkpoint']
    const answers = await Promise.all(Array.from({ length: 60 }, (_, n) => ask(n, reads[n % 5] ?? '')))
    expect(answers[0]).toMatchObject({ runs: expect.objectContaining({ length: 24 }) as unknown })
  })

  it('builds a read model', async () => {
    const { start, database } = await open('ownerUrl')
    const first = await start(UNPREPARED)
    for (let n = 0; n < 8; n++) await askOn(first, '/runs', { method: 'POST', body: smallDocument(`run-${n}`) })
    await first.stop()
    const before = await tablesOf(database.superUrl, SEARCH)
    await queryArrays(
      database.superUrl,
      "UPDATE projections SET version = version - 1 WHERE name = 'search'; DELETE FROM search",
    )
    const server = await start(UNPREPARED)
    stops.push(() => server.stop())
    await expect
      .poll(() => server.log.some(({ msg }) => msg === 'the read models are built'), { timeout: 60_000 })
      .toBe(true)
    expect(await tablesOf(database.superUrl, SEARCH)).toEqual(before)
  })

  it('says what to set if the pooler passes on no start parameters', async () => {
    const { start } = await open()
    await expect(start()).rejects.toThrow(
      /ignore_startup_parameters = statement_timeout,idle_in_transaction_session_timeout in PgBouncer, or set SERVICE_DATABASE_PREPARED_STATEMENTS=false/,
    )
  })
})
