import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ask, MCP } from '../../support/http/mcp.ts'
import { openApp, type Send, type SpecApp } from '../../support/servers/app.ts'

const JSON_TYPE = { 'content-type': 'application/json' }
const statusOf = async (send: Send): Promise<number> =>
  (await ask(send, 'tools/call', { name: 'get_server_info' })).status
const statuses = async (send: Send, count: number): Promise<number[]> => {
  const found: number[] = []
  for (let n = 0; n < count; n++) found.push(await statusOf(send))
  return found
}
const TEN = Array.from({ length: 10 }, () => 200)

// On PostgreSQL the clock of the database counts, so only the first calls of a caller are certain there.
describe('the budget of a caller', () => {
  let now = Date.UTC(2026, 4, 5)
  let spec: SpecApp
  beforeAll(async () => void (spec = await openApp({ mode: 'open', mcp: MCP, now: () => now })))
  afterAll(() => spec.close())

  it('has ten calls at once, and then one a second', async () => {
    const send = spec.sendAs('read')
    expect(await statuses(send, 11)).toEqual([...TEN, 429])
    now += 999
    expect(await statusOf(send)).toBe(429)
    now += 1
    expect(await statuses(send, 2)).toEqual([200, 429])
    now += 3_000
    expect(await statuses(send, 4)).toEqual([200, 200, 200, 429])
    now += 60_000
    expect(await statuses(send, 11)).toEqual([...TEN, 429])
  })

  it('gives sixty calls in a minute, besides the ten', async () => {
    now += 3_600_000
    const send = spec.sendAs('read')
    let answered = 0
    for (let n = 0; n < 240; n++) {
      if ((await statusOf(send)) === 200) answered++
      now += 250
    }
    expect(answered).toBe(10 + 59)
  })

  it('says when to try again', async () => {
    now += 3_600_000
    const send = spec.sendAs('read')
    await statuses(send, 10)
    for (const [waited, seconds] of [
      [0, 1],
      [400, 1],
    ] as const) {
      now += waited
      const { status, headers, message } = await ask(send, 'tools/call', { name: 'get_server_info' })
      expect([status, headers['retry-after'], message]).toEqual([
        429,
        String(seconds),
        {
          jsonrpc: '2.0',
          id: 1,
          error: {
            code: -31002,
            message: 'too many tool calls: try again in 1 s',
            data: { retryAfterSeconds: seconds },
          },
        },
      ])
    }
  })

  it('recovers if the clock is set back', async () => {
    now += 3_600_000
    const send = spec.sendAs('read')
    expect(await statuses(send, 11)).toEqual([...TEN, 429])
    now -= 3_600_000
    expect(await statuses(send, 11)).toEqual([...TEN, 429])
    now += 3_600_000
  })

  it('is taken by calls of tools alone, whatever they answer', async () => {
    now += 3_600_000
    const send = spec.sendAs('read')
    for (let n = 0; n < 20; n++) for (const method of ['tools/list', 'ping', 'no/such']) await ask(send, method)
    const called = [{ name: 'none' }, {}, { name: 'get_run', arguments: { run_id: 'none' } }]
    for (let n = 0; n < 10; n++) expect((await ask(send, 'tools/call', called[n % 3])).status).toBe(200)
    expect(await statusOf(send)).toBe(429)
  })
})

describe('callers', () => {
  let spec: SpecApp
  beforeAll(async () => void (spec = await openApp({ mode: 'open', mcp: MCP })))
  afterAll(() => spec.close())

  it('without a credential take nothing from the budget where they need one', async () => {
    const closed = await openApp({ mode: 'closed', mcp: MCP })
    try {
      expect(await statuses(closed.sendAs(null), 12)).toEqual(Array.from({ length: 12 }, () => 401))
    } finally {
      await closed.close()
    }
  })

  it('that are one account share a budget: its sessions and its keys', async () => {
    const ann = await spec.addUser('ann')
    const body = { name: 'agent', scope: 'read' }
    const { key } = (await ann.send('POST', '/apikeys', { headers: JSON_TYPE, body })).json<{ key: string }>()
    const senders = [ann.send, spec.sendWithToken(key)]
    // On PostgreSQL the clock of the database counts: a call more for each second.
    const began = performance.now()
    // One after the other: a database that is busy for a second would let the process count by itself.
    const answers: number[] = []
    for (let n = 0; n < 40; n++) answers.push(await statusOf(senders[n % 2] ?? ann.send))
    const seconds = Math.ceil((performance.now() - began) / 1_000)
    const answered = answers.filter((status) => status === 200).length
    expect(answered).toBeGreaterThanOrEqual(10)
    expect(answered).toBeLessThanOrEqual(10 + seconds)
  })

  it('of other accounts, of other tokens and without a credential have others', async () => {
    const ben = await spec.addUser('ben')
    for (const send of [ben.send, spec.sendAs('read'), spec.sendAs('write'), spec.sendAs(null)])
      expect((await statuses(send, 12)).slice(0, 10)).toEqual(TEN)
    // All callers without a credential are one.
    expect(await statuses(spec.sendWithToken('unknown'), 3)).toContain(429)
  })
})
