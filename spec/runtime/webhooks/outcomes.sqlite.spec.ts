import { describe, expect, it } from 'vitest'
import { aCase, aDocument } from '../../support/documents/documents.ts'
import { messageOf } from '../../support/webhooks/receiver.ts'
import { sendingAppOpener, type SendingApp } from '../../support/webhooks/sending-app.ts'

const open = sendingAppOpener()
const SET = { project: 'chat', suite: 'smoke' }
const EVENTS = ['run.regressed', 'run.recovered', 'suite.changed']

/** Uploads runs of 20 tests, a day apart; each number is how many of them pass. */
const uploader = ({ spec }: Pick<SendingApp, 'spec'>) => {
  let day = 0
  return async (run_id: string, passing: number): Promise<void> => {
    const finished_at = new Date(Date.UTC(2026, 4, 1 + day++)).toISOString()
    const cases = Array.from({ length: 20 }, (_, n) =>
      aCase({ cell: { test_id: `test-${n}` }, status: n < passing ? 'pass' : 'fail' }),
    )
    const answer = await spec.ingest(aDocument({ run_id, ...SET, started_at: finished_at, finished_at, cases }))
    expect(answer.statusCode, answer.body).toBe(201)
  }
}
const sentBy = ({ receiver }: Pick<SendingApp, 'receiver'>): unknown[] =>
  receiver.received
    .map((one) => messageOf(one))
    .map(({ type, data }) => [type, data['run_id'], data['compared'] ?? data['first_run_id']])

describe('a new run', () => {
  it('regresses and recovers compared with the previous like run, by the exact test', async () => {
    const app = await open()
    await app.create({ events: EVENTS })
    const upload = uploader(app)
    for (const [run_id, passing] of [
      ['r1', 20],
      ['r2', 15],
      ['r3', 9],
      ['r4', 9],
      ['r5', 19],
    ] as const)
      await upload(run_id, passing)
    await app.send()
    expect(sentBy(app)).toEqual([
      // Five worse cases are too few.
      [
        'run.regressed',
        'r3',
        { run_id: 'r2', against: 'previous', worse: 6, better: 0, p: expect.closeTo(0.03125, 12) as number },
      ],
      [
        'run.recovered',
        'r5',
        { run_id: 'r4', against: 'previous', worse: 0, better: 10, p: expect.closeTo(0.001953125, 12) as number },
      ],
    ])
  })

  it('costs more or is slower than the previous like run, by the ratio of the cases of both', async () => {
    const app = await open()
    await app.create({ events: ['run.costlier', 'run.slower'] })
    for (const [day, [cost_usd, latency_ms]] of [
      [0.01, 100],
      [0.012, 1_000],
      [0.02, 1_000],
      [0.01, 100],
    ].entries()) {
      const finished_at = new Date(Date.UTC(2026, 4, 1 + day)).toISOString()
      const cases = Array.from({ length: 20 }, (_, n) =>
        aCase({ cell: { test_id: `test-${n}` }, cost_usd, latency_ms }),
      )
      const document = aDocument({ run_id: `m${day}`, ...SET, started_at: finished_at, finished_at, cases })
      expect((await app.spec.ingest(document)).statusCode).toBe(201)
    }
    await app.send()
    const ratio = (value: number) => expect.closeTo(value, 6) as number
    expect(sentBy(app)).toMatchObject([
      ['run.slower', 'm1', { run_id: 'm0', against: 'previous', ratio: ratio(10), pairs: 20, p: ratio(0) }],
      ['run.costlier', 'm2', { run_id: 'm1', against: 'previous', ratio: ratio(5 / 3), lower: ratio(5 / 3) }],
    ])
  })

  it('costs more only from the threshold of its suite on', async () => {
    const app = await open()
    await app.create({ events: ['run.costlier', 'run.slower'] })
    const uploadAt = async (day: number, cost_usd: number, latency_ms: number): Promise<void> => {
      const finished_at = new Date(Date.UTC(2026, 4, 1 + day)).toISOString()
      const cases = Array.from({ length: 20 }, (_, n) =>
        aCase({ cell: { test_id: `test-${n}` }, cost_usd, latency_ms }),
      )
      const document = aDocument({ run_id: `t${day}`, ...SET, started_at: finished_at, finished_at, cases })
      expect((await app.spec.ingest(document)).statusCode).toBe(201)
    }
    await uploadAt(0, 0.01, 100)
    const body = { cost: { rise_percent: 100 }, latency: { rise_percent: 10 } }
    await app.ask('PATCH', '/projects/chat/suites/smoke/settings', { token: app.ada.token, body })
    await uploadAt(1, 0.019, 115)
    await uploadAt(2, 0.038, 115)
    await app.send()
    expect(sentBy(app)).toMatchObject([
      ['run.slower', 't1', { run_id: 't0' }],
      ['run.costlier', 't2', { run_id: 't1' }],
    ])
  })

  it('says once that another judge decided than in the previous like run, in numbers', async () => {
    const app = await open()
    await app.create({ events: ['judge.changed'] })
    for (const [day, model] of ['m-1', 'm-1', 'm-2', 'm-2'].entries()) {
      const finished_at = new Date(Date.UTC(2026, 4, 1 + day)).toISOString()
      const judged = { kind: 'llm-rubric', status: 'pass', score: 1, weight: 1, details: { judge: { model } } }
      const cases = [aCase({ asserts: [judged, { ...judged, criteria: { name: 'tone' } }] })]
      const document = aDocument({ run_id: `j${day}`, ...SET, started_at: finished_at, finished_at, cases })
      expect((await app.spec.ingest(document)).statusCode).toBe(201)
    }
    await app.send()
    const sent = app.receiver.received.map((one) => messageOf(one))
    expect(sent.map(({ type, data }) => [type, data['run_id'], data['judge_changed']])).toEqual([
      ['judge.changed', 'j2', { run_id: 'j1', metrics: 2 }],
    ])
    expect(JSON.stringify(sent)).not.toMatch(/m-[12]|tone/)
  })

  it('is compared with the baseline if there is one: it regresses each time, and recovers once', async () => {
    const app = await open()
    await app.create({ events: EVENTS })
    const upload = uploader(app)
    await upload('old', 20)
    await upload('base', 20)
    await app.ask('PUT', '/projects/chat/suites/smoke/baseline', { token: app.ada.token, body: { run_id: 'base' } })
    for (const [run_id, passing] of [
      ['r1', 10],
      ['r2', 11],
      ['r3', 18],
      ['r4', 18],
    ] as const)
      await upload(run_id, passing)
    await app.send()
    expect(sentBy(app)).toMatchObject([
      ['run.regressed', 'r1', { run_id: 'base', against: 'baseline', worse: 10, better: 0 }],
      ['run.regressed', 'r2', { run_id: 'base', against: 'baseline', worse: 9, better: 0 }],
      [
        'run.recovered',
        'r3',
        { run_id: 'base', against: 'baseline', worse: 2, better: 0, p: expect.closeTo(0.5, 12) as number },
      ],
    ])
  })

  it('confirms a change of the trend once', async () => {
    const app = await open()
    await app.create({ events: ['suite.changed'] })
    const upload = uploader(app)
    for (let n = 0; n < 14; n++) await upload(`r${n}`, n < 7 ? 20 : 8)
    await app.send()
    expect(sentBy(app)).toEqual([['suite.changed', 'r10', 'r7']])
    expect(messageOf(app.receiver.received[0]!).data).toMatchObject({
      before: { passed: 140, total: 140, rate: 1 },
      after: { passed: 32, total: 80, rate: 0.4 },
      url: 'https://results.example/projects/chat/suites/smoke',
    })
  })
})
