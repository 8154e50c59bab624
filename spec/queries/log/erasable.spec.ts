import { afterEach, beforeEach, expect, it } from 'vitest'
import { z } from 'zod'
import { isAccountKept, listRecordsOfRun, listRecordsOfUser } from '../../../queries/log/erasable.ts'
import { sql } from '../../../storage/sql.ts'
import { onPostgres } from '../../support/stores/open-fresh.ts'
import { openStorage, type SpecStorage } from '../../support/stores/open-storage.ts'
import { queryPlan } from '../../support/stores/query-plan.ts'

let storage: SpecStorage
beforeEach(async () => void (storage = await openStorage()))
afterEach(() => storage.close())

it.each([
  ['the records of a run', listRecordsOfRun('run/a', 'a', 0, 10), 'event_bodies_by_pinned_run'],
  ['the records of an account', listRecordsOfUser('u', 0, 10), 'event_bodies_by_account'],
  ['facts of an account that were kept', isAccountKept('u'), 'event_bodies_by_kept_account'],
])('a search of what an erasure concerns uses an index: %s', async (_, { token }, index) => {
  if (!token) throw new Error('the query has no text')
  const plan = (await queryPlan(storage, token)).join('\n')
  expect(plan).toContain(index)
  expect(plan).not.toMatch(/Seq Scan|SCAN event_bodies/)
})

it('the check of a deleted body finds its erasure by an index', async () => {
  const [source] = (await storage.sql.column(
    onPostgres
      ? "SELECT prosrc FROM pg_proc WHERE proname = 'event_bodies_erased_only' AND pronamespace = current_schema()::regnamespace"
      : "SELECT sql FROM sqlite_schema WHERE name = 'event_bodies_erased_only'",
  )) as string[]
  // The query of the trigger itself.
  const [, query = ''] = /NOT EXISTS \(\s*(SELECT[^]*?'EventErased')/.exec(source ?? '') ?? []
  const token = { ...sql.type(z.object({}))`SELECT`, sql: query.replace('OLD.seq', '7') }
  expect((await queryPlan(storage, token)).join('\n')).toContain('event_bodies_by_erased')
})
