import { afterAll, beforeAll, expect, it } from 'vitest'
import { inRotation, queryRows, startReplicas } from '../../support/servers/replicas.ts'
import type { Replica } from '../../support/servers/replicas.ts'
import { freshDatabase } from '../../support/stores/fresh-database.ts'
import type { FreshDatabase } from '../../support/postgres/databases.ts'

let database: FreshDatabase
let replicas: readonly Replica[]
beforeAll(async () => {
  database = await freshDatabase()
  replicas = await startReplicas(3, database.appUrl, { SERVICE_MCP_ENABLED: 'true' })
})
afterAll(async () => {
  await Promise.all(replicas.map((replica) => replica.stop()))
  await database.close()
})

const call = { id: 1, method: 'tools/call', params: { name: 'get_server_info' } }

it('share the budget of a caller: together they answer ten calls at once, then one a second', async () => {
  const began = performance.now()
  const answers = await Promise.all(
    Array.from({ length: 60 }, (_, n) => inRotation(replicas, n).ask('POST', '/mcp', { body: call })),
  )
  const seconds = Math.ceil((performance.now() - began) / 1_000)
  const answered = answers.filter(({ status }) => status === 200).length
  expect(answered).toBeGreaterThanOrEqual(10)
  expect(answered).toBeLessThanOrEqual(10 + seconds)
  const refused = answers.filter(({ status }) => status === 429)
  expect(refused.length + answered).toBe(60)
  for (const { retryAfter } of refused) expect(Number(retryAfter)).toBeGreaterThanOrEqual(1)
})

it('count by themselves while the budgets cannot be written', async () => {
  await queryRows(database.superUrl, 'DELETE FROM call_budgets')
  await queryRows(database.superUrl, 'ALTER TABLE call_budgets RENAME TO call_budgets_away')
  try {
    const [replica] = replicas
    const statuses: Array<number | undefined> = []
    for (let n = 0; n < 10; n++) statuses.push((await replica?.ask('POST', '/mcp', { body: call }))?.status)
    expect(statuses).toEqual(Array.from({ length: 10 }, () => 200))
  } finally {
    await queryRows(database.superUrl, 'ALTER TABLE call_budgets_away RENAME TO call_budgets')
  }
})
