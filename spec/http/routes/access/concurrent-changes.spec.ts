import { describe, expect, it } from 'vitest'
import { LEVELS } from '../../../../queries/access/levels.ts'
import { eventsOf, json, type SpecResponse } from '../../../support/access/access-requests.ts'
import { aDocument } from '../../../support/documents/documents.ts'
import { openApp, TOKENS, type Send } from '../../../support/servers/app.ts'

describe('concurrent changes', () => {
  const yieldToEventLoop = () => new Promise((resolve) => setImmediate(resolve))

  it('follow the order of the log: after a restriction, only uploads with a grant are recorded', async () => {
    const spec = await openApp()
    const user = await spec.addUser('uploader')
    await spec.grant('uploader', 'upload', 'chat', 'smoke')
    const uploads: Array<Promise<SpecResponse>> = []
    const restricted: Array<Promise<SpecResponse>> = []
    for (let n = 0; n < 200; n++) {
      const send = n % 5 === 0 ? user.send : spec.sendAs('write')
      uploads.push(send('POST', '/runs', { headers: json, body: JSON.stringify(aDocument({ run_id: `race-${n}` })) }))
      // Wait until the first uploads are recorded on any storage: a restriction overtakes waiting uploads.
      if (n === 20) await Promise.all(uploads)
      if (n === 100) restricted.push(spec.sendAs('admin')('PUT', '/sets/chat/suites/smoke/restriction'))
      if (n % 4 === 0) await yieldToEventLoop()
    }
    const answers = await Promise.all(uploads)
    expect((await Promise.all(restricted)).map(({ statusCode }) => statusCode)).toEqual([204])
    const events = await eventsOf(spec)
    const { seq: since } = events.find(({ type }) => type === 'SetRestricted') ?? { seq: 0 }
    expect(since).toBeGreaterThan(0)
    const recorded = new Map(
      events.filter(({ type }) => type === 'RunIngested').map(({ stream, seq }) => [stream, seq]),
    )
    for (const [n, { statusCode }] of answers.entries()) {
      const seq = recorded.get(`run/race-${n}`)
      expect(statusCode).toBe(seq === undefined ? 403 : 201)
      if (n % 5 === 0) expect(statusCode).toBe(201)
      else if (seq !== undefined) expect(seq).toBeLessThan(since)
    }
    const countOf = (status: number) => answers.filter(({ statusCode }) => statusCode === status).length
    expect(countOf(201)).toBeGreaterThan(40)
    expect(countOf(403)).toBeGreaterThan(0)
    await spec.close()
  })

  it('record each change of a grant once, and no change by an account that lost its level', async () => {
    const spec = await openApp()
    const manager = await spec.addUser('manager')
    await spec.addUser('member')
    await spec.grant('manager', 'manage', 'chat')
    const before = (await eventsOf(spec)).length
    const requests: Array<Promise<{ kind: 'grant' | 'revoke' | 'fall'; status: number }>> = []
    const track = (kind: 'grant' | 'revoke' | 'fall', response: ReturnType<Send>) =>
      requests.push(response.then(({ statusCode }) => ({ kind, status: statusCode })))
    for (let n = 0; n < 200; n++) {
      const send = n % 2 === 0 ? manager.send : spec.sendAs('admin')
      const path = '/sets/chat/grants/member'
      if (n % 3 === 0) track('revoke', send('DELETE', path))
      else
        track('grant', send('PUT', path, { headers: json, body: JSON.stringify({ level: LEVELS[n % LEVELS.length] }) }))
      if (n === 120) track('fall', spec.sendAs('admin')('DELETE', '/sets/chat/grants/manager'))
      if (n % 10 === 0) await yieldToEventLoop()
    }
    const answers = await Promise.all(requests)
    const events = (await eventsOf(spec)).slice(before).filter(({ stream }) => stream === 'access/chat')
    let granted: unknown = null
    let managerRevoked = false
    for (const { type, actor, data } of events) {
      expect(actor.user_id === 'manager' && managerRevoked).toBe(false)
      if (data['user_id'] === 'manager') {
        managerRevoked = true
        continue
      }
      const next = type === 'AccessGranted' ? data['level'] : null
      // A request that changes nothing is not recorded.
      expect(next).not.toBe(granted)
      granted = next
    }
    expect(managerRevoked).toBe(true)
    const count = (kind: string, status: number) =>
      answers.filter((answer) => answer.kind === kind && answer.status === status).length
    expect(count('revoke', 204)).toBe(
      events.filter(({ type, data }) => type === 'AccessRevoked' && data['user_id'] === 'member').length,
    )
    expect(count('revoke', 204) + count('revoke', 404)).toBe(67)
    expect(count('grant', 204) + count('grant', 404)).toBe(133)
    expect(count('grant', 404)).toBeGreaterThan(0)
    const list = (await spec.sendWithToken(TOKENS.admin)('GET', '/sets/chat/access')).json<{
      grants: Array<{ level: string }>
    }>()
    expect(list.grants.map(({ level }) => level)).toEqual(granted === null ? [] : [granted])
    await spec.close()
  })
})
