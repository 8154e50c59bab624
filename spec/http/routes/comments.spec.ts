import { afterAll, describe, expect, it } from 'vitest'
import type { CaseInSuite } from '../../../queries/cases/case-in-suite.ts'
import type { Comment, CommentList } from '../../../queries/runs/comments.ts'
import type { RunInSuite } from '../../../queries/runs/run-in-suite.ts'
import { json, statusAndBody } from '../../support/access/access-requests.ts'
import { aCase, aDocument } from '../../support/documents/documents.ts'
import { openApp, type Send } from '../../support/servers/app.ts'
import { verifyStore } from '../../support/stores/verified.ts'

let clock = Date.UTC(2026, 4, 4, 8)
const spec = await openApp({ now: () => (clock += 1000) })
afterAll(() => spec.close())
const [write, admin] = [spec.sendAs('write'), spec.sendAs('admin')]
const KEY = aCase().case_key

let projects = 0
/** Uploads a run into a project of its own. */
const upload = async (run_id: string, project = `project ${++projects}`) => {
  const uploaded = aDocument({ run_id, project, suite: 'nightly', cases: [aCase()] })
  expect((await spec.ingest(uploaded)).statusCode).toBe(201)
  return { project, path: `/runs/${encodeURIComponent(run_id)}` }
}
type Answer = readonly [status: number, body: Partial<Comment> & { readonly error?: string }]
const comment = async (path: string, body: object, send: Send = write): Promise<Answer> =>
  statusAndBody(await send('POST', `${path}/comments`, { headers: json, body: JSON.stringify(body) })) as Answer
const remove = async (path: string, id: string | undefined, send: Send = write) =>
  statusAndBody(await send('DELETE', `${path}/comments/${id}`))
const list = (path: string, query = '', send: Send = write) =>
  send('GET', `${path}/comments${query}`).then((answer) => answer.json<CommentList>())
const texts = async (path: string, query = '', send: Send = write) =>
  (await list(path, query, send)).comments.map(({ text }) => text)
const counts = async (path: string) => [
  (await spec.getJson<RunInSuite>(`${path}/in-suite`)).comments,
  (await spec.getJson<CaseInSuite>(`${path}/cases/${KEY}/in-suite`)).comments,
]
const stored = (word: string) =>
  spec.column(`SELECT count(*) FROM comment_texts WHERE text LIKE '%${word}%'`).then(([count]) => Number(count))
const seqsOf = async (type: string) =>
  (await spec.column(`SELECT seq FROM events WHERE type = '${type}' ORDER BY seq`)).map(Number)
const erase = async (target: object) =>
  statusAndBody(
    await admin('POST', '/erasures', { headers: json, body: JSON.stringify({ reference: 'case-1', ...target }) }),
  )

describe('a comment', () => {
  it('is listed with who and when, of the run with its cases and of a case alone, and counted', async () => {
    const { path } = await upload('shown')
    const [status, first] = await comment(path, { text: 'Look at the first case.' })
    expect(status).toBe(201)
    expect(first).toEqual({
      id: expect.stringMatching(/^\w{26}$/) as string,
      case_key: null,
      case_name: null,
      text: 'Look at the first case.',
      at: expect.stringMatching(/^2026-05-04T08:/) as string,
      by: 'write',
      may_delete: true,
    })
    const [, second] = await comment(path, { text: 'Wrong city.', case_key: KEY })
    expect([second.case_key, second.case_name]).toEqual([KEY, aCase().cell.test_id])
    expect(await list(path)).toEqual({ comments: [second, first], total: 2, next_cursor: null })
    expect(await list(path, `?case=${KEY}`)).toEqual({ comments: [second], total: 1, next_cursor: null })
    expect(await counts(path)).toEqual([2, 1])
  })

  it('is read page by page, and a comment on another run is no end of a page', async () => {
    const { path } = await upload('paged')
    const { path: other } = await upload('another')
    for (const text of ['1', '2', '3']) await comment(path, { text })
    const first = await list(path, '?limit=2')
    expect([first.comments.map(({ text }) => text), first.total]).toEqual([['3', '2'], 3])
    expect(await texts(path, `?limit=2&cursor=${first.next_cursor}`)).toEqual(['1'])
    const [, { id }] = await comment(other, { text: 'x' })
    const unknown = id?.replace(/.$/, (last) => (last === '0' ? '1' : '0'))
    expect(await list(path, `?cursor=${id}`)).toEqual(await list(path, `?cursor=${unknown}`))
  })

  it('is read to its end, also if the last comment of a page is deleted meanwhile', async () => {
    const { path } = await upload('shrinking')
    for (const text of ['1', '2', '3']) await comment(path, { text })
    const { next_cursor } = await list(path, '?limit=2')
    await remove(path, next_cursor ?? '')
    expect(await texts(path, `?limit=2&cursor=${next_cursor}`)).toEqual(['1'])
    await remove(path, (await list(path)).comments[1]?.id)
    expect(await texts(path, `?limit=2&cursor=${next_cursor}`)).toEqual([])
  })

  it('is plain text: it stays as it was sent, with its line breaks as line feeds', async () => {
    const { path } = await upload('plain')
    for (const text of [
      '<script>alert(1)</script> <b>not</b> &amp; markup',
      '  indented\n\n\ttext ',
      'controls \u0001\u001b[31m\u202Eright to left\u200b\ufeff',
      '😀'.repeat(2_500),
      'x'.repeat(10_000),
      "'; DROP TABLE comment_texts; --",
    ])
      expect((await comment(path, { text }))[1].text).toBe(text)
    expect((await comment(path, { text: 'One\r\ntwo\rthree\n' }))[1].text).toBe('One\ntwo\nthree\n')
    expect((await list(path)).total).toBe(7)
    expect((await verifyStore(spec)).finding).toBeNull()
  })

  it('has limits, whose errors name the field', async () => {
    const { path } = await upload('limited')
    for (const [body, field] of [
      [{ text: 'x'.repeat(10_001) }, 'text'],
      [{ text: '' }, 'text'],
      [{ text: ' \r\n\t' }, 'text'],
      [{ text: 'a\0b' }, 'text'],
      [{ text: 'a\ud800b' }, 'text'],
      [{ text: null }, 'text'],
      [{}, 'text'],
      [{ text: 'x', html: true }, 'html'],
      [{ text: 'x', case_key: 1 }, 'case_key'],
    ] as const) {
      const [status, answer] = await comment(path, body)
      expect([status, answer.error]).toEqual([422, expect.stringContaining(field)])
    }
    expect((await comment(path, { text: 'x'.repeat(64 * 1024) }))[0]).toBe(413)
    expect((await list(path)).total).toBe(0)
  })

  it('is refused on a case that the run does not have', async () => {
    const { path } = await upload('without the case')
    for (const case_key of ['nothing', '', ' ', `${KEY}x`, `${KEY}\0`, '\ud800', '\ufffd', 'x'.repeat(2_000)])
      expect(await comment(path, { text: 'x', case_key })).toEqual([404, { error: 'case not found' }])
    for (const case_key of ['nothing', '', '%00', '%ED%A0%80', 'x'.repeat(2_000)])
      expect(await list(path, `?case=${case_key}`)).toEqual({ comments: [], total: 0, next_cursor: null })
    expect((await list(path)).total).toBe(0)
  })

  it('is deleted by its author or an admin, with a record', async () => {
    const { path } = await upload('deleted-from')
    const { path: other } = await upload('not deleted from')
    const [anna, ben] = [await spec.addUser('anna'), await spec.addUser('ben')]
    const [, { id }] = await comment(path, { text: 'Pangolin', case_key: KEY }, anna.send)
    const mayDelete = async (send: Send) => (await list(path, '', send)).comments.map(({ may_delete }) => may_delete)
    expect([await mayDelete(anna.send), await mayDelete(ben.send), await mayDelete(admin)]).toEqual([
      [true],
      [false],
      [true],
    ])
    expect(await remove(path, id, ben.send)).toEqual([
      403,
      { error: 'only its author and admins may delete a comment' },
    ])
    expect(await remove(other, id, anna.send)).toEqual([404, { error: 'comment not found' }])
    expect(await remove('/runs/unknown', id, anna.send)).toEqual([404, { error: 'run not found' }])
    expect(await remove(path, id, anna.send)).toBe(204)
    expect(await remove(path, id, anna.send)).toEqual([404, { error: 'comment not found' }])
    expect([await texts(path), await counts(path), await stored('Pangolin')]).toEqual([[], [0, 0], 0])
    const [, { id: another }] = await comment(path, { text: 'Ibex' }, ben.send)
    expect(await remove(path, another, admin)).toBe(204)
    const { events } = (await admin('GET', '/audit?stream=run/deleted-from&limit=50')).json<{
      events: Array<{ type: string; actor: { user_id: string | null } }>
    }>()
    expect(events.map(({ type, actor }) => [type, actor.user_id])).toEqual([
      ['CommentDeleted', null],
      ['RunCommented', 'ben'],
      ['CommentDeleted', 'anna'],
      ['RunCommented', 'anna'],
      ['RunIngested', null],
    ])
    expect((await verifyStore(spec)).finding).toBeNull()
  })

  it('goes with its run, also from what is stored next to the log', async () => {
    const { path, project } = await upload('gone')
    await comment(path, { text: 'Ocelot', case_key: KEY })
    expect(await stored('Ocelot')).toBe(1)
    expect((await admin('DELETE', path)).statusCode).toBe(204)
    expect(await stored('Ocelot')).toBe(0)
    expect(await comment(path, { text: 'x' })).toEqual([404, { error: 'run not found' }])
    expect(statusAndBody(await write('GET', `${path}/comments`))).toEqual([404, { error: 'run not found' }])
    await upload('gone', project)
    expect([await texts(path), await counts(path)]).toEqual([[], [0, 0]])
    expect((await verifyStore(spec)).finding).toBeNull()
  })

  it('goes with its record when that is erased, alone or with the account', async () => {
    const { path } = await upload('erased')
    const dora = await spec.addUser('dora')
    await comment(path, { text: 'First' })
    await comment(path, { text: 'Capybara' })
    await comment(path, { text: 'Quokka', case_key: KEY }, dora.send)
    const seqs = await seqsOf('RunCommented')
    expect(await erase({ seqs: [seqs.at(-2)] })).toMatchObject([200, { records: 1, kept: 1 }])
    expect([await texts(path), await counts(path), await stored('Capybara')]).toEqual([['Quokka', 'First'], [2, 1], 0])
    expect((await admin('DELETE', '/users/dora')).statusCode).toBe(204)
    expect(await texts(path)).toEqual(['Quokka', 'First'])
    expect(await erase({ user_id: 'dora' })).toMatchObject([200, { kept: 1 }])
    expect([await texts(path), await counts(path), await stored('Quokka')]).toEqual([['First'], [1, 0], 0])
    expect(await spec.column("SELECT count(*) FROM run_comments WHERE commented_by = 'dora'")).toEqual([0])
    expect((await verifyStore(spec)).finding).toBeNull()
  })

  it('is in exports of its run, apart from the document', async () => {
    const { path } = await upload('exported')
    const exported = async (format: string) => {
      const { statusCode, headers, body } = await write('GET', `${path}/export/${format}`)
      expect(statusCode).toBe(200)
      return { etag: headers.etag, body }
    }
    const [before, csv] = [await exported('jsonl'), await exported('csv')]
    const [, first] = await comment(path, { text: 'One' })
    const [, second] = await comment(path, { text: 'Two\nlines', case_key: KEY })
    const after = await exported('jsonl')
    expect(after.etag).not.toBe(before.etag)
    const [line = '', ...cases] = after.body.split('\n')
    const shown = [first, second].map(({ may_delete: _, case_name: __, ...each }) => each)
    expect((JSON.parse(line) as { comments: unknown }).comments).toEqual(shown)
    expect(cases).toEqual(before.body.split('\n').slice(1))
    const withComments = await exported('csv')
    expect(withComments.etag).not.toBe(csv.etag)
    expect(withComments.body).toContain(',added_comments')
    expect(withComments.body).toContain('"Two\nlines"')
    await remove(path, first.id)
    await remove(path, second.id)
    expect([await exported('jsonl'), await exported('csv')]).toEqual([before, csv])
  })
})

describe('comments of a set', () => {
  it('are added by accounts that may write to it, and a hidden run answers as an unknown one', async () => {
    const { path, project } = await upload('guarded')
    const [eva, finn, gus] = [await spec.addUser('eva'), await spec.addUser('finn'), await spec.addUser('gus')]
    const viewer = await spec.addUser('hana', 'viewer')
    const [, { id }] = await comment(path, { text: 'open to all', case_key: KEY }, gus.send)
    expect((await comment(path, { text: 'x' }, viewer.send))[0]).toBe(403)
    expect((await comment(path, { text: 'x' }, spec.sendAs('read')))[0]).toBe(403)
    expect((await comment(path, { text: 'x' }, spec.sendAs(null)))[0]).toBe(401)
    expect((await list(path, '', viewer.send)).comments).toMatchObject([{ by: 'gus', may_delete: false }])
    await spec.restrict(project)
    await spec.grant(eva.user_id, 'upload', project)
    await spec.grant(finn.user_id, 'view', project)
    expect(await comment(path, { text: 'granted' }, eva.send)).toMatchObject([201, { by: 'eva' }])
    expect(await comment(path, { text: 'seen' }, finn.send)).toEqual([
      403,
      { error: 'this run set is restricted; you need an upload grant on it' },
    ])
    expect(await texts(path, '', finn.send)).toEqual(['granted', 'open to all'])
    for (const [method, end, body] of [
      ['GET', '/comments', null],
      ['GET', `/comments?case=${KEY}`, null],
      ['GET', '/comments?case=nothing', null],
      ['POST', '/comments', { text: 'x' }],
      ['POST', '/comments', { text: 'x', case_key: KEY }],
      ['DELETE', `/comments/${id}`, null],
    ] as const) {
      const sent = body === null ? {} : { headers: json, body: JSON.stringify(body) }
      const [hidden, absent] = [
        await gus.send(method, `${path}${end}`, sent),
        await gus.send(method, `/runs/absent${end}`, sent),
      ]
      expect([hidden.statusCode, hidden.body]).toEqual([404, '{"error":"run not found"}'])
      expect(hidden.rawPayload.equals(absent.rawPayload)).toBe(true)
    }
  })

  it('are kept by a hold on their run, which still gets new ones', async () => {
    const { path } = await upload('held')
    const [, { id }] = await comment(path, { text: 'Evidence' })
    const placed = await admin('POST', '/holds', {
      headers: json,
      body: JSON.stringify({ run_id: 'held', reference: 'LAW-1' }),
    })
    const { id: hold } = placed.json<{ id: string }>()
    const held = [409, { error: `run is under legal hold ${hold}` }]
    expect(await remove(path, id)).toEqual(held)
    expect(await remove(path, id, admin)).toEqual(held)
    expect(await erase({ seqs: (await seqsOf('RunCommented')).slice(-1) })).toEqual(held)
    expect((await comment(path, { text: 'More' }))[0]).toBe(201)
    await admin('POST', `/holds/${hold}/lift`, { headers: json, body: JSON.stringify({ reference: 'LAW-1' }) })
    expect(await remove(path, id)).toBe(204)
  })
})

it('everybody may delete comments where no credential is asked for', async () => {
  const open = await openApp({ mode: 'open' })
  await open.ingest(aDocument({ run_id: 'a' }))
  const send = open.sendAs(null)
  const [, { id, by, may_delete }] = await comment('/runs/a', { text: 'Hello' }, send)
  expect([by, may_delete]).toEqual([null, true])
  expect(await remove('/runs/a', id, send)).toBe(204)
  const [, another] = await comment('/runs/a', { text: 'Hello' }, open.sendAs('admin'))
  expect(await remove('/runs/a', another.id, send)).toBe(204)
  await open.close()
})
