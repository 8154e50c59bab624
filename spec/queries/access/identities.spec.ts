import { afterEach, beforeEach, expect, it } from 'vitest'
import { findIdentity, findIsReplayed, findTransaction, listTakenNames } from '../../../queries/access/identities.ts'
import { findUserView } from '../../../queries/access/users.ts'
import { openStorage, type SpecStorage } from '../../support/stores/open-storage.ts'
import { queryPlan, UNINDEXED_PLAN } from '../../support/stores/query-plan.ts'

let storage: SpecStorage
beforeEach(async () => void (storage = await openStorage()))
afterEach(() => storage.close())

it.each([
  ['the identity', findIdentity('oidc:corp', 'subject')],
  ['the names that are taken', listTakenNames(['ada', 'ada-2'])],
  ['the transaction', findTransaction('hash')],
  ['the assertion', findIsReplayed('hash')],
  ['the account with its identities', findUserView('u')],
])('each read of a sign-in through a provider uses an index: %s', async (_, { token }) => {
  if (!token) throw new Error('the query has no text')
  const plan = await queryPlan(storage, token)
  expect(plan.length).toBeGreaterThan(0)
  for (const line of plan) expect(line).not.toMatch(UNINDEXED_PLAN)
})

it('an account has no name of a deleted account or of a key', async () => {
  await storage.sql.execute(
    "INSERT INTO principals (id, kind, label) VALUES ('u', 'user', 'ada'), ('gone', 'user', 'ben'), ('k', 'key', 'cat');" +
      "INSERT INTO users (id, role, disabled, has_password, created_at) VALUES ('u', 'member', FALSE, FALSE, 1)",
  )
  expect(await storage.read(listTakenNames(['ada', 'Ada', 'ben', 'cat', 'ada-2']))).toEqual(['ada'])
})
