import pg from 'pg'
import { afterAll, expect, it } from 'vitest'
import { inRotation, startReplicas } from '../../support/servers/replicas.ts'
import { freshDatabase } from '../../support/stores/fresh-database.ts'

afterAll(async () => {
  await Promise.all(replicas.map((replica) => replica.stop()))
  await database.close()
})

const call = { id: 1, method: 'tools/call', params: { name: 'get_server_info' } }
const database = await freshDatabase()
const replicas = await startReplicas(3, database.appUrl, { SERVICE_MCP_ENABLED: 'true' })

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

it('count by themselves while the shared budgets do not answer', async () => {
  const locker = new pg.Client(database.superUrl)
  await locker.connect()
  try {
    await locker.query('BEGIN')
    await locker.query('LOCK TABLE call_budgets IN ACCESS EXCLUSIVE MODE')
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => inRotation(replicas, 0).ask('POST', '/mcp', { body: call })),
    )
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 10 }, () => 200))
  } finally {
    await locker.end()
  }
})
