import { describe, expect, it } from 'vitest'
import { TEST_EVENT, WEBHOOK_EVENTS } from '../../../domain/webhooks/event-types.ts'
import { MAX_BODY_BYTES, messageBody, type MessageSubject } from '../../../domain/webhooks/message.ts'

const COUNTS = { cases: 40, passed: 30, failed: 9, errors: 1 }
const subject: MessageSubject = {
  event: 'run.regressed',
  at: Date.UTC(2026, 4, 4, 9),
  webhook_id: 'w',
  run_id: 'r/1',
  project: 'chat',
  suite: 'smoke',
  other_run_id: 'r0',
  cause: null,
  facts: { counts: COUNTS, compared: { against: 'baseline', run_no: 7, worse: 9, better: 1, p: 0.0215 } },
}
const parsed = (part: Partial<MessageSubject>, publicUrl: string | null = 'https://results.example'): unknown =>
  JSON.parse(messageBody({ ...subject, ...part }, publicUrl))

describe('the body of a message', () => {
  it('has type, time and data, with the numbers of a comparison and a link', () =>
    expect(parsed({})).toEqual({
      type: 'run.regressed',
      timestamp: '2026-05-04T09:00:00.000Z',
      data: {
        run_id: 'r/1',
        project: 'chat',
        suite: 'smoke',
        counts: COUNTS,
        compared: { run_id: 'r0', against: 'baseline', worse: 9, better: 1, p: 0.0215 },
        url: 'https://results.example/runs/r%2F1',
      },
    }))

  it('has the two rates of a change, and links to the suite', () =>
    expect(
      parsed({
        event: 'suite.changed',
        facts: { change: { run_no: 5, before: { passed: 90, total: 100 }, after: { passed: 0, total: 0 } } },
      }),
    ).toMatchObject({
      data: {
        run_id: 'r/1',
        first_run_id: 'r0',
        before: { passed: 90, total: 100, rate: 0.9 },
        after: { passed: 0, total: 0, rate: 0 },
        url: 'https://results.example/projects/chat/suites/smoke',
      },
    }))

  it('has no link without the public URL of the service', () =>
    expect(parsed({}, null)).toMatchObject({ data: { url: null } }))

  it('stays below 16 KiB with the longest names, whatever they are made of', () => {
    const names = ['\u0001'.repeat(400), '"\\'.repeat(200), 'ü'.repeat(200), '😀'.repeat(100), ' '.repeat(400)]
    for (const event of [...WEBHOOK_EVENTS, TEST_EVENT] as const)
      for (const name of names) {
        const all = { run_id: name, project: name, suite: name, other_run_id: name, cause: 'retention' }
        const body = messageBody({ ...subject, ...all, event }, `https://${'a'.repeat(60)}.example`)
        expect(Buffer.byteLength(body)).toBeLessThanOrEqual(MAX_BODY_BYTES)
      }
  })
})
