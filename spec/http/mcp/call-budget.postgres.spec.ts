import pg from 'pg'
import { afterAll, expect, it } from 'vitest'
import { openCallBudget } from '../../../runtime/call-budget.ts'
import { databaseStore } from '../../support/stores/database.ts'
import { freshDatabase } from '../../support/stores/fresh-database.ts'

afterAll(async () => {
  await Promise.all(replicas.map((replica) => replica.close()))
  await database.close()
})

const database = await freshDatabase()
const budgetOf = (timeoutMs: number) => openCallBudget(databaseStore(database.appUrl), Date.now, timeoutMs)
const replicas = [budgetOf(60_000), budgetOf(60_000), budgetOf(60_000)]

it('of replicas is shared: together they answer ten calls at once, then one a second', async () => {
  const began = performance.now()
  const waits = await Promise.all(Array.from({ length: 60 }, (_, n) => replicas[n % 3]!.take('caller')))
  const seconds = Math.ceil((performance.now() - began) / 1_000)
  const answered = waits.filter((wait) => wait === 0).length
  expect(answered).toBeGreaterThanOrEqual(10)
  expect(answered).toBeLessThanOrEqual(10 + seconds)
})

it('is counted by each replica itself while the shared one does not answer', async () => {
  const locker = new pg.Client(database.superUrl)
  await locker.connect()
  const alone = budgetOf(50)
  try {
    await locker.query('BEGIN')
    await locker.query('LOCK TABLE call_budgets IN ACCESS EXCLUSIVE MODE')
    const waits = await Promise.all(Array.from({ length: 10 }, () => alone.take('caller')))
    expect(waits).toEqual(Array.from({ length: 10 }, () => 0))
  } finally {
    await locker.end()
    await alone.close()
  }
})
