import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { EVENT_NAMES } from '../../../commands/events.ts'
import { invalidatedBy } from '../../../commands/invalidated.ts'
import { exportAudit, type AuditList, type AuditRecord } from '../../../queries/audit.ts'
import { SYSTEM } from '../../../queries/access/viewer.ts'
import { openApp, type Caller, type SpecApp, type SpecUser } from '../../support/servers/app.ts'
import { aDocument } from '../../support/documents/documents.ts'
import { fillPath, routesOf } from '../../support/http/routes.ts'

const NOW = Date.UTC(2026, 4, 5)
const json = { 'content-type': 'application/json' }

// Events: 1: start; 2 to 4: uploads; 5: pin; 6: restriction; 7: unpin, because the pinned run is deleted; 8: that
// deletion; 9 to 11: the account `alice` is created, signs in and deletes a run.
let spec: SpecApp
let alice: SpecUser
let clock = NOW
beforeAll(async () => {
  spec = await openApp({ now: () => clock })
  const admin = spec.sendAs('admin')
  for (const run_id of ['r1', 'r2', 'ä/3'])
    expect(
      (
        await spec.ingest(aDocument({ run_id }), {
          headers: { 'x-request-id': `upload-${encodeURIComponent(run_id).replaceAll('%', '.')}` },
        })
      ).statusCode,
    ).toBe(201)
  clock += 1000
  expect(
    (await admin('PUT', '/projects/chat/suites/smoke/baseline', { headers: json, body: { run_id: 'r1' } })).statusCode,
  ).toBe(200)
  await spec.restrict('chat', 'smoke')
  clock += 1000
  expect((await admin('DELETE', '/runs/r1')).statusCode).toBe(204)
  clock += 1000
  alice = await spec.addUser('alice', 'admin')
  expect((await alice.send('DELETE', '/runs/r2')).statusCode).toBe(204)
})
afterAll(() => spec.close())

const list = async (query = '', caller: Caller = 'admin'): Promise<AuditList> => {
  const answer = await spec.sendAs(caller)('GET', `/audit${query}`)
  expect(answer.statusCode, answer.body).toBe(200)
  return answer.json<AuditList>()
}
const seqs = async (query: string): Promise<number[]> => (await list(query)).events.map(({ seq }) => seq)

describe('GET /audit', () => {
  it('lists every event, newest first, with its actor and its origin', async () => {
    const { events, next_cursor } = await list()
    expect(events.map(({ seq, type, stream }) => `${seq} ${type} ${stream}`)).toEqual([
      '11 RunDeleted run/r2',
      '10 SignedIn session/session%20of%20alice',
      '9 UserCreated accounts',
      '8 RunDeleted run/r1',
      '7 BaselineUnpinned baseline/chat/smoke',
      '6 SetRestricted access/chat',
      '5 BaselinePinned baseline/chat/smoke',
      '4 RunIngested run/%C3%A4%2F3',
      '3 RunIngested run/r2',
      '2 RunIngested run/r1',
      expect.stringMatching(/^1 Started service\//),
    ])
    expect(next_cursor).toBeNull()
    expect(events.find(({ seq }) => seq === 4)).toMatchObject({
      recorded_at: '2026-05-05T00:00:00+00:00',
      version: 1,
      actor: {
        kind: 'static',
        scope: 'write',
        user_id: null,
        credential_id: 'static:write:2',
        address: '127.0.0.1',
        label: 'write',
      },
      request_id: 'upload-.C3.A4.2F3',
      data: { case_count: 1, project: 'chat', suite: 'smoke', run_no: 3 },
    })
    expect(events[0]).toMatchObject({
      actor: {
        kind: 'session',
        scope: 'admin',
        user_id: alice.user_id,
        credential_id: alice.session_id,
        label: 'alice',
      },
    })
    expect(events.at(-1)).toMatchObject({
      actor: { kind: 'system', user_id: null, credential_id: null, address: null, label: null },
      request_id: null,
    })
  })

  it('filters by actor, type, stream and time, also combined', async () => {
    expect(await seqs('?actor=static:admin:3')).toEqual([8, 7, 5])
    expect(await seqs('?actor=admin')).toEqual([8, 7, 5])
    expect(await seqs('?actor=alice')).toEqual([11, 10])
    expect(await seqs(`?actor=${encodeURIComponent(alice.session_id)}`)).toEqual([11, 10])
    expect(await seqs('?type=RunIngested')).toEqual([4, 3, 2])
    expect(await seqs('?stream=run/')).toEqual([11, 8, 4, 3, 2])
    expect(await seqs('?stream=run/r1')).toEqual([8, 2])
    expect(await seqs(`?stream=${encodeURIComponent('run/%C3%A4%2F3')}`)).toEqual([4])
    expect(await seqs('?stream=baseline/chat/')).toEqual([7, 5])
    expect(await seqs(`?since=${NOW + 1000}&until=${NOW + 1000}`)).toEqual([6, 5])
    expect(await seqs('?since=2026-05-05T00:00:02Z&until=2026-05-05T02:00:02%2B02:00')).toEqual([8, 7])
    expect(await seqs('?actor=admin&type=RunDeleted&stream=run/&since=0')).toEqual([8])
    expect(await seqs('?actor=write&type=RunDeleted')).toEqual([])
    expect(await seqs('?actor=nobody')).toEqual([])
    expect(await seqs('?stream=')).toEqual([])
  })

  it('pages by a cursor that stays valid while events are recorded', async () => {
    const first = await list('?limit=3&stream=run/')
    expect(first.events.map(({ seq }) => seq)).toEqual([11, 8, 4])
    const rest = await list(`?limit=3&stream=run/&cursor=${first.next_cursor}`)
    expect(rest.events.map(({ seq }) => seq)).toEqual([3, 2])
    expect(rest.next_cursor).toBeNull()
    expect((await list('?limit=3&cursor=nonsense')).events.map(({ seq }) => seq)).toEqual([11, 10, 9])
  })

  it('clamps the limit, which is 50 by default', async () => {
    const busy = await openApp()
    await busy.service.commit.recordRebuild(SYSTEM, {
      instance: 'i',
      rebuilt: Array.from({ length: 210 }, (_, position) => ({ name: 'runs', version: 1, position })),
    })
    const length = async (query: string) =>
      (await busy.sendAs('admin')('GET', `/audit${query}`)).json<AuditList>().events.length
    expect(await length('')).toBe(50)
    expect(await length('?limit=0')).toBe(1)
    expect(await length('?limit=-5')).toBe(1)
    expect(await length('?limit=1000')).toBe(200)
    await busy.close()
  })

  it('accepts every event type', async () => {
    for (const type of EVENT_NAMES)
      expect((await list(`?type=${type}`)).events.every((event) => event.type === type)).toBe(true)
  })

  it('is revalidated by ETag and shows new events immediately', async () => {
    const own = await openApp()
    const admin = own.sendAs('admin')
    const { etag } = (await admin('GET', '/audit?type=Started')).headers
    expect((await admin('GET', '/audit?type=Started', { headers: { 'if-none-match': String(etag) } })).statusCode).toBe(
      304,
    )
    const before = (await admin('GET', '/audit')).headers.etag
    await own.ingest(aDocument({ run_id: 'later', project: 'elsewhere' }))
    const after = await admin('GET', '/audit', { headers: { 'if-none-match': String(before) } })
    expect(after.statusCode).toBe(200)
    expect(after.json<AuditList>().events[0]).toMatchObject({ type: 'RunIngested', stream: 'run/later' })
    await own.close()
  })
})

describe('GET /audit/export', () => {
  const lines = async (query = ''): Promise<object[]> => {
    const answer = await spec.sendAs('admin')('GET', `/audit/export${query}`)
    expect(answer.statusCode, answer.body).toBe(200)
    expect(answer.headers['content-type']).toBe('application/x-ndjson')
    expect(answer.headers['content-disposition']).toBe('attachment; filename="audit.jsonl"')
    expect(answer.body === '' || answer.body.endsWith('\n')).toBe(true)
    return answer.body.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as object]))
  }

  it('contains every event of the list, with the same filters', async () => {
    for (const filters of ['', '?type=RunIngested', '?actor=alice', '?stream=run/&since=0', '?actor=unknown'])
      expect(await lines(filters)).toEqual((await list(filters)).events)
    expect((await spec.sendAs('admin')('GET', '/audit/export?type=Unknown')).statusCode).toBe(400)
    expect((await spec.sendAs('admin')('GET', '/audit/export?limit=1')).statusCode).toBe(400)
  })

  it('contains whole records on request', async () => {
    const [record] = await lines('?full=true&type=SetRestricted')
    expect(record).toEqual((await spec.sendAs('admin')('GET', '/audit/6')).json())
  })

  it('is one list, longer than a page', async () => {
    const long = await openApp()
    for (let i = 0; i < 450; i++) await long.restrict('chat', `suite ${i}`)
    const { body } = await long.sendAs('admin')('GET', '/audit/export')
    const seqs = body
      .trimEnd()
      .split('\n')
      .map((line) => (JSON.parse(line) as { seq: number }).seq)
    expect(seqs).toEqual(Array.from({ length: 451 }, (_, i) => 451 - i))
    await long.close()
  })

  it('breaks off when its reader loses the access', async () => {
    const events = exportAudit(spec.service.reader, SYSTEM, {}, { full: false, mayContinue: async () => false })
    expect((await events.next()).done).toBe(false)
    expect((await events.next()).done).toBe(true)
    const long = await openApp()
    for (let i = 0; i < 200; i++) await long.restrict('chat', `suite ${i}`)
    const more = exportAudit(long.service.reader, SYSTEM, {}, { full: false, mayContinue: async () => false })
    expect((await more.next()).done).toBe(false)
    await expect(more.next()).rejects.toThrow('may not be read any more')
    await long.close()
  })
})

describe('GET /audit/{seq}', () => {
  it('has all that is needed to recompute the commitment and the leaf', async () => {
    for (const { seq } of (await list()).events) {
      const event = (await spec.sendAs('admin')('GET', `/audit/${seq}`)).json<AuditRecord>()
      const commitment = createHash('sha256')
        .update(Buffer.from(event.salt ?? '', 'hex'))
        .update(event.body ?? '')
        .digest('hex')
      expect(event.commitment).toBe(commitment)
      const entry = `{"commitment":"${commitment}","recorded_at":${Date.parse(event.recorded_at)},"type":"${event.type}"}`
      expect(event.leaf).toBe(
        createHash('sha256')
          .update(Buffer.from([0]))
          .update(entry)
          .digest('hex'),
      )
      const { actor, data, stream, version, request_id } = JSON.parse(event.body ?? '') as AuditRecord
      const { label: _, ...actorWithoutLabel } = event.actor ?? { label: null }
      expect({
        actor: actorWithoutLabel,
        data: event.data,
        stream: event.stream,
        version: event.version,
        request_id: event.request_id,
      }).toEqual({ actor, data, stream, version, request_id })
    }
  })

  it('has the fields of the list', async () => {
    for (const listed of (await list()).events)
      expect((await spec.sendAs('admin')('GET', `/audit/${listed.seq}`)).json()).toMatchObject(listed)
  })

  it.each(['0', '-1', '01', '1.0', '1e1', 'x', '999', '9007199254740993', '9'.repeat(40), '%20', '1%20'])(
    'returns 404 for event %s',
    async (seq) => {
      const answer = await spec.sendAs('admin')('GET', `/audit/${seq}`)
      expect([answer.statusCode, answer.json()]).toEqual([404, { error: 'event not found' }])
    },
  )

  it.each(['POST', 'PUT', 'PATCH', 'DELETE'] as const)('rejects %s', async (method) => {
    const { size, root } = await spec.service.head()
    for (const path of ['/audit', '/audit/1']) {
      const answer = await spec.sendAs('admin')(method, path, { headers: json, body: '{}' })
      expect([answer.statusCode, answer.headers.allow]).toEqual([405, 'GET, HEAD'])
    }
    expect(await spec.service.head()).toEqual({ size, root })
  })

  it('keeps its recorded events unchanged, whatever other routes do', async () => {
    const open = await openApp({ mode: 'open' })
    await open.ingest(aDocument())
    const before = [1, 2].map((seq) => open.sendAs('admin')('GET', `/audit/${seq}`))
    const recorded = (await Promise.all(before)).map(({ body }) => body)
    const { size } = await open.service.head()
    for (const { method, url } of routesOf(open.app)) {
      if (method === 'GET' || method === 'HEAD') continue
      for (const names of [{ id: 'run-1', project: 'chat', suite: 'smoke', user_id: 'nobody' }, {}])
        await open.sendAs('admin')(method, fillPath(url, names), {
          headers: json,
          body: JSON.stringify({ run_id: 'run-1', level: 'view', username: 'new', password: 'long enough' }),
        })
    }
    expect((await open.service.head()).size).toBeGreaterThan(size)
    expect(
      (await Promise.all([1, 2].map((seq) => open.sendAs('admin')('GET', `/audit/${seq}`)))).map(({ body }) => body),
    ).toEqual(recorded)
    await open.close()
  })
})

it('sign-in events are in the audit trail and invalidate no list', () => {
  const event = {
    seq: 1,
    version: 1,
    recorded_at: 0,
    actor: alice.viewer.actor,
    request_id: null,
    stream: 'session/s',
  }
  expect(
    invalidatedBy([{ ...event, type: 'SignedIn', data: { session_id: 's', user_id: 'u', lifetime_ms: 1 } }]),
  ).toEqual([])
  expect(
    invalidatedBy([{ ...event, type: 'SignInRefused', data: { count: 1, reason: 'unknown_user', user_id: null } }]),
  ).toEqual([])
})
