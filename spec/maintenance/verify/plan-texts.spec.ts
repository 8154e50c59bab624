import { hash } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { CLI } from '../../../queries/access/viewer.ts'
import { aPlan } from '../../support/documents/plans.ts'
import { openFreshService, type FreshService } from '../../support/stores/open-fresh.ts'
import { verifyStore } from '../../support/stores/verified.ts'

const TEXT = 'All cases of the suite.'

let opened: FreshService
beforeEach(async () => {
  opened = await openFreshService()
  const { commit } = opened.service
  await commit.registerPlan(CLI, aPlan({ plan_id: 'text' }))
  await commit.registerPlan(CLI, aPlan({ plan_id: 'revealed', text: null, plan_sha256: hash('sha256', TEXT, 'hex') }))
  await commit.registerPlan(CLI, aPlan({ plan_id: 'unknown', text: null, plan_sha256: '5'.repeat(64) }))
  await commit.revealPlan(CLI, { plan_id: 'revealed', set: { project: 'chat', suite: 'smoke' }, text: TEXT })
})
afterEach(() => opened.close())

const finding = async () => (await verifyStore(opened)).finding

describe('the texts of plans', () => {
  it('are those that were registered or revealed', async () => expect(await finding()).toBeNull())

  it('are many', async () => {
    for (let n = 0; n < 70; n++)
      await opened.service.commit.registerPlan(CLI, aPlan({ plan_id: `plan-${n}`, text: `Plan ${n}.` }))
    expect(await finding()).toBeNull()
    await opened.sql.execute("UPDATE plan_texts SET plan_id = 'plan-x' WHERE plan_id = 'plan-69'")
    expect(await finding()).toMatchObject({ kind: 'altered' })
  })

  it.each([
    ['altered', 'that is another one', "UPDATE plan_texts SET bytes = substr(bytes, 2) WHERE plan_id = 'text'"],
    [
      'altered',
      'that is the one of another plan',
      "UPDATE plan_texts SET bytes = (SELECT bytes FROM plan_texts WHERE plan_id = 'text') WHERE plan_id = 'revealed'",
    ],
    ['missing', 'that is missing', "DELETE FROM plan_texts WHERE plan_id = 'revealed'"],
    [
      'altered',
      'of a plan whose text is not known',
      "INSERT INTO plan_texts SELECT 'unknown', bytes FROM plan_texts WHERE plan_id = 'text'",
    ],
    [
      'altered',
      'of a plan that was never registered',
      "INSERT INTO plan_texts SELECT 'never', bytes FROM plan_texts WHERE plan_id = 'text'",
    ],
  ])('are %s with a text %s', async (kind, _, change) => {
    await opened.sql.execute(change)
    expect(await finding()).toMatchObject({ kind })
  })
})
