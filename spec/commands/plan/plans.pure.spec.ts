import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { planRegistered, planRevealed, planWithdrawn } from '../../../commands/plan/events.ts'
import { MAX_PLAN_BYTES, registerPlan } from '../../../commands/plan/register-plan.ts'
import { revealPlan } from '../../../commands/plan/reveal-plan.ts'
import { withdrawPlan } from '../../../commands/plan/withdraw-plan.ts'
import { member } from '../../support/access/viewers.ts'
import { given } from '../../support/decisions.ts'

const set = { project: 'chat', suite: 'smoke' }
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
const silent = { config_digest: null, metric: null, comparator: null, threshold: null, case_count: null }
const bar = { metric: 'pass_rate', comparator: '>=', threshold: 0.9 } as const

const newPlan = { plan_id: 'p1', ...set, text: 'Grüße\r\n', plan_sha256: null, ...silent }
const register = (changes: Partial<Parameters<typeof registerPlan>[1]> = {}) =>
  registerPlan(member, { ...newPlan, ...changes })
const registered = planRegistered({
  plan_id: 'p1',
  ...set,
  ...silent,
  plan_bytes: 9,
  plan_sha256: sha256('Grüße\r\n'),
})

describe('registering a plan', () => {
  const allowed = given({ level: 'upload' })

  it('records the digest of its text, and stores its bytes apart', () => {
    allowed.when(register()).then(registered)
    const [event] = allowed.when(register()).decides()
    expect(event?.statements).toEqual([
      { table: 'plan_texts', columns: ['plan_id', 'bytes'], rows: [['p1', Buffer.from('Grüße\r\n')]] },
    ])
  })

  it('records a digest alone', () => {
    const hidden = register({ text: null, plan_sha256: sha256('later') })
    allowed.when(hidden).then(planRegistered({ ...registered.data, plan_bytes: null, plan_sha256: sha256('later') }))
    expect(allowed.when(hidden).decides()[0]?.statements).toBeUndefined()
  })

  it('records what is measured, with all of its three parts or none', () => {
    allowed
      .when(register({ ...bar, case_count: 40 }))
      .then(planRegistered({ ...registered.data, ...bar, case_count: 40 }))
    for (const part of ['metric', 'comparator', 'threshold'] as const) {
      allowed.when(register({ [part]: bar[part] })).refused('unprocessable', 'give all three, or none')
      allowed.when(register({ ...bar, [part]: null })).refused('unprocessable', 'give all three, or none')
    }
    allowed.when(register({ ...bar, threshold: 0 })).then(planRegistered({ ...registered.data, ...bar, threshold: 0 }))
  })

  it('requires a text or a digest, and a digest that fits', () => {
    allowed.when(register({ text: null })).refused('unprocessable', 'text or plan_sha256 is required')
    allowed.when(register({ plan_sha256: sha256('Grüße\r\n') })).then(registered)
    allowed
      .when(register({ plan_sha256: sha256('Grüße\n') }))
      .refused('unprocessable', `plan_sha256 is not the SHA-256 of text, which is ${sha256('Grüße\r\n')}`)
  })

  it('takes up to 64 KiB of well-formed text', () => {
    expect(MAX_PLAN_BYTES).toBe(65_536)
    expect(allowed.when(register({ text: 'é'.repeat(32_768) })).decides()).toHaveLength(1)
    allowed.when(register({ text: `${'é'.repeat(32_768)}.` })).refused('unprocessable', 'not 65537')
    allowed.when(register({ text: '' })).refused('unprocessable', 'text must have 1 to 65536 bytes')
    allowed.when(register({ text: '\ud800' })).refused('unprocessable', 'text must be well-formed Unicode')
  })

  it('refuses names that clients cannot address', () =>
    allowed.when(register({ suite: '..' })).refused('unprocessable', 'suite:'))

  it.each(['view', null])('requires the upload level, not %s', (level) =>
    given({ level }).when(register()).refused('forbidden', 'you need an upload grant on it'),
  )
})

const plan = { plan_id: 'p1', ...set, plan_sha256: sha256('later'), plan_bytes: null, withdrawn_at: null }

describe('revealing a plan', () => {
  const reveal = (text = 'later') => revealPlan(member, { plan_id: 'p1', set, text })

  it('records that the text is known, and stores it', () => {
    const decision = given({ level: 'upload', plan }).when(reveal())
    decision.then(planRevealed({ plan_bytes: 5, plan_id: 'p1' }))
    expect(decision.decides()[0]?.statements).toMatchObject([{ rows: [['p1', Buffer.from('later')]] }])
  })

  it('refuses another text', () =>
    given({ level: 'upload', plan })
      .when(reveal('later '))
      .refused('unprocessable', `text has the SHA-256 ${sha256('later ')}, but the plan has ${sha256('later')}`))

  it('is refused if the text is known, whatever it is', () => {
    for (const text of ['later', 'other'])
      given({ level: 'upload', plan: { ...plan, plan_bytes: 5 } })
        .when(reveal(text))
        .refused('conflict', 'known already')
  })

  it('is possible after a withdrawal', () =>
    given({ level: 'upload', plan: { ...plan, withdrawn_at: 1 } })
      .when(reveal())
      .then(planRevealed({ plan_bytes: 5, plan_id: 'p1' })))
})

describe('withdrawing a plan', () => {
  const withdraw = withdrawPlan(member, { plan_id: 'p1', set })

  it('is recorded once', () => {
    given({ level: 'manage', plan })
      .when(withdraw)
      .then(planWithdrawn({ plan_id: 'p1' }))
    given({ level: 'manage', plan: { ...plan, withdrawn_at: 1 } })
      .when(withdraw)
      .then()
  })
})

describe('revealing and withdrawing a plan', () => {
  const commands = [
    revealPlan(member, { plan_id: 'p1', set, text: 'later' }),
    withdrawPlan(member, { plan_id: 'p1', set }),
  ]

  it.each(['view', null])('require the upload level, not %s', (level) => {
    for (const command of commands)
      given({ level, plan }).when(command).refused('forbidden', 'you need an upload grant on it')
  })

  it('show nothing of a hidden plan, and check the level on the set of the plan alone', () => {
    for (const other of [null, { ...plan, suite: 'full' }, { ...plan, project: 'mail' }])
      for (const level of ['manage', null])
        for (const command of commands)
          given({ level, plan: other }).when(command).refused('not_found', 'plan not found')
  })
})
