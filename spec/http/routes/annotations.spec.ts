import { afterAll, describe, expect, it } from 'vitest'
import type { RunAdded, RunAnnotations } from '../../../queries/runs/annotations.ts'
import type { RunDetail } from '../../../queries/runs/run-detail.ts'
import type { RunList } from '../../../queries/runs/run-list.ts'
import type { RunSearch } from '../../../queries/search/run-search.ts'
import type { SearchHits } from '../../../queries/search/search.ts'
import { json, statusAndBody } from '../../support/access/access-requests.ts'
import { aDocument } from '../../support/documents/documents.ts'
import { openApp, type Send } from '../../support/servers/app.ts'

const START = Date.UTC(2026, 4, 4, 8)
let clock = START
const spec = await openApp({ now: () => (clock += 1000) })
afterAll(() => spec.close())
const write = spec.sendAs('write')

let projects = 0
type Uploaded = { readonly tags: readonly string[]; readonly note: string; readonly project: string }

/** Uploads a run into a project of its own. */
const upload = async (
  run_id: string,
  { tags = ['seed'], note = 'as uploaded', project = `project ${++projects}` }: Partial<Uploaded> = {},
) => {
  const uploaded = aDocument({ run_id, project, suite: 'nightly', origin: { note }, filters: { tags } })
  expect((await spec.ingest(uploaded)).statusCode).toBe(201)
  return { run_id, project, path: `/runs/${encodeURIComponent(run_id)}` }
}
const annotate = async (path: string, body: object, send: Send = write) =>
  answerOf(await send('PATCH', `${path}/annotations`, { headers: json, body: JSON.stringify(body) }))
type Answer = readonly [status: number, body: { readonly error?: string; readonly added?: RunAdded | null }]
const answerOf = (answer: Parameters<typeof statusAndBody>[0]): Answer => statusAndBody(answer) as Answer
const added = async (path: string): Promise<RunAdded | undefined> => (await spec.getJson<RunDetail>(path)).added
const listed = async (query: string) => (await spec.getJson<RunList>(`/runs?${query}`)).runs
const changes = async (path: string) => (await spec.getJson<RunAnnotations>(`${path}/annotations`)).annotations

describe('what is added to a run', () => {
  it('is shown with who added it and when, and the document stays byte for byte', async () => {
    const { path, project } = await upload('shown')
    const before = (await write('GET', `${path}/export`)).rawPayload
    const [status, body] = await annotate(path, {
      title: 'Second try',
      note: 'GPU 3 was hot.',
      add_tags: ['flaky', 'seed'],
    })
    expect(status).toBe(200)
    const { revision, at, ...rest } = body.added ?? { revision: '', at: '' }
    expect(rest).toEqual({ title: 'Second try', note: 'GPU 3 was hot.', tags: ['flaky'], by: 'write' })
    expect([revision, at]).toEqual([expect.stringMatching(/^\w{26}$/), expect.stringMatching(/^2026-05-04T08:/)])
    expect(await added(path)).toEqual(body.added)
    const [row] = await listed(`project=${encodeURIComponent(project)}`)
    expect(row).toMatchObject({ note: 'as uploaded', tags: ['seed'], added: { title: 'Second try', tags: ['flaky'] } })
    const sorted = await listed(`project=${encodeURIComponent(project)}&sort=cost`)
    expect(sorted).toEqual([row])
    expect((await write('GET', `${path}/export`)).rawPayload.equals(before)).toBe(true)
  })

  it('changes field by field, keeps what is left out, and can be removed', async () => {
    const { path, project } = await upload('changed')
    await annotate(path, { title: 'One', add_tags: ['b', 'a'] })
    await annotate(path, { note: 'Two', add_tags: ['c'], remove_tags: ['b', 'seed'] })
    expect(await added(path)).toMatchObject({ title: 'One', note: 'Two', tags: ['a', 'c'] })
    const [status, body] = await annotate(path, { title: null, note: null, remove_tags: ['a', 'c'] })
    expect([status, body]).toEqual([200, { added: null }])
    expect(await added(path)).toBeUndefined()
    expect(await listed(`project=${encodeURIComponent(project)}&tag=a`)).toEqual([])
    expect(await listed(`project=${encodeURIComponent(project)}&tag=seed`)).toHaveLength(1)
    expect((await changes(path)).map(({ title, note, tags }) => [title, note, tags])).toEqual([
      [null, null, []],
      ['One', 'Two', ['a', 'c']],
      ['One', null, ['a', 'b']],
    ])
    const first = await spec.getJson<RunAnnotations>(`${path}/annotations?limit=2`)
    const rest = await spec.getJson<RunAnnotations>(`${path}/annotations?limit=2&cursor=${first.next_cursor}`)
    expect([...first.annotations, ...rest.annotations]).toEqual(await changes(path))
  })

  it('takes no change of another run for the end of a page', async () => {
    const { path } = await upload('own')
    const { path: other } = await upload('another')
    await annotate(path, { title: 'Mine' })
    const [, { added: newer }] = await annotate(other, { title: 'Theirs' })
    const unknown = newer?.revision.replace(/.$/, (last) => (last === '0' ? '1' : '0'))
    const after = (revision?: string) => spec.getJson<RunAnnotations>(`${path}/annotations?cursor=${revision}`)
    expect(await after(newer?.revision)).toEqual(await after(unknown))
  })

  it('records nothing if nothing changes', async () => {
    const { path } = await upload('same')
    await annotate(path, { title: 'One', add_tags: ['a'] })
    await annotate(path, { title: 'One', add_tags: ['a', 'seed'], remove_tags: ['unknown'] })
    await annotate(path, {})
    expect(await changes(path)).toHaveLength(1)
  })

  it('is refused if another change came first', async () => {
    const { path } = await upload('raced')
    expect((await annotate(path, { title: 'Mine', revision: null }))[0]).toBe(200)
    const seen = (await added(path))?.revision
    expect((await annotate(path, { title: 'Theirs', revision: seen }))[0]).toBe(200)
    expect(await annotate(path, { title: 'Mine', revision: seen })).toEqual([
      409,
      { error: 'title, note or tags were changed meanwhile: read them again' },
    ])
    expect((await annotate(path, { title: 'Mine', revision: null }))[0]).toBe(409)
    expect((await added(path))?.title).toBe('Theirs')
  })

  it('has limits, whose errors name the field', async () => {
    const { path } = await upload('limited')
    for (const [body, field] of [
      [{ title: 'x'.repeat(201) }, 'title'],
      [{ title: ' ' }, 'title'],
      [{ note: 'x'.repeat(2001) }, 'note'],
      [{ note: 'a\0b' }, 'note'],
      [{ add_tags: [''] }, 'add_tags'],
      [{ add_tags: ['x'.repeat(101)] }, 'add_tags'],
      [{ add_tags: Array.from({ length: 51 }, (_, n) => `t${n}`) }, 'add_tags'],
      [{ notes: 'x' }, 'notes'],
    ] as const) {
      const [status, answer] = await annotate(path, body)
      expect([status, answer.error]).toEqual([422, expect.stringContaining(field)])
    }
    const tags = (from: number) => Array.from({ length: 30 }, (_, n) => `t${from + n}`)
    expect((await annotate(path, { add_tags: tags(0) }))[0]).toBe(200)
    expect(await annotate(path, { add_tags: tags(30) })).toEqual([
      422,
      { error: 'add_tags: a run can have 50 added tags, and would have 60' },
    ])
    expect((await annotate(path, { title: '😀'.repeat(200), note: 'x'.repeat(2000) }))[0]).toBe(200)
  })

  it('is a filter of the list like tags of documents, alone and with others, and in every order', async () => {
    const one = await upload('filter 1', { tags: ['common'] })
    const two = await upload('filter 2', { project: one.project, tags: [] })
    await upload('filter 3', { project: one.project, tags: [] })
    await annotate(two.path, { add_tags: ['common'] })
    const ids = async (query: string) => (await listed(query)).map(({ id }) => id).toSorted()
    for (const query of [
      'tag=common',
      'tag=common&limit=200&origin=local',
      `tag=common&project=${encodeURIComponent(one.project)}`,
      'tag=common&sort=pass_rate',
    ])
      expect([query, await ids(query)]).toEqual([query, ['filter 1', 'filter 2']])
    const first = await spec.getJson<RunList>('/runs?tag=common&limit=1')
    const rest = await spec.getJson<RunList>(
      `/runs?tag=common&limit=1&cursor=${encodeURIComponent(first.next_cursor ?? '')}`,
    )
    expect([...first.runs, ...rest.runs].map(({ id }) => id).toSorted()).toEqual(['filter 1', 'filter 2'])
  })

  it('is found by the search together with words of the document, once for each run', async () => {
    const { path } = await upload('searched-1', { note: 'walrus in the snow' })
    const runs = async (q: string) => (await spec.getJson<RunSearch>(`/search/runs?q=${encodeURIComponent(q)}`)).runs
    const hits = async (q: string) => (await spec.getJson<SearchHits>(`/search?q=${encodeURIComponent(q)}`)).runs
    await annotate(path, { title: 'Quokka', note: 'a note on pangolins', add_tags: ['ibex'] })
    for (const q of ['quokka', 'pangol', 'ibex', 'walrus', 'walrus quokka', 'searched-1'])
      for (const find of [runs, hits]) expect([q, (await find(q)).map(({ id }) => id)]).toEqual([q, ['searched-1']])
    expect((await runs('pangolins'))[0]?.snippet).toContain('\uE000pangolins\uE001')
    await annotate(path, { title: null, note: null })
    for (const find of [runs, hits]) {
      expect(await find('quokka')).toEqual([])
      expect(await find('ibex')).toHaveLength(1)
      expect(await find('walrus')).toHaveLength(1)
    }
  })

  it('is in exports, apart from the document', async () => {
    const { path, project } = await upload('exported')
    const exported = async (format: string) => {
      const answer = await write('GET', `${path}/export/${format}`)
      expect(answer.statusCode).toBe(200)
      return { bytes: answer.rawPayload, etag: answer.headers.etag }
    }
    const before = await exported('jsonl')
    await annotate(path, { title: 'T', note: 'N', add_tags: ['a', 'b;c'] })
    const after = await exported('jsonl')
    expect(after.etag).not.toBe(before.etag)
    const line = JSON.parse(after.bytes.toString().split('\n')[0] ?? '') as { run: unknown; added: unknown }
    expect(line.added).toEqual(await added(path))
    expect(JSON.stringify(line.run)).toBe(
      JSON.stringify((JSON.parse(before.bytes.toString().split('\n')[0] ?? '') as typeof line).run),
    )
    const [header = '', row = ''] = (await exported('csv')).bytes.toString().split('\r\n')
    expect(header.split(',').slice(21, 24)).toEqual(['added_title', 'added_note', 'added_tags'])
    expect(row).toContain('T,N,a;b\\;c')
    const { parquetReadObjects } = await import('hyparquet')
    const bytes = (await exported('parquet')).bytes
    const file = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength) as ArrayBuffer
    expect((await parquetReadObjects({ file }))[0]).toMatchObject({
      added_title: 'T',
      added_note: 'N',
      added_tags: ['a', 'b;c'],
    })
    const csv = (await write('GET', `/runs.csv?project=${encodeURIComponent(project)}`)).body.split('\r\n')
    expect([csv[0]?.split(',').slice(-3), csv[1]?.split(',').slice(-3)]).toEqual([
      ['added_title', 'added_note', 'added_tags'],
      ['T', 'N', 'a b;c'],
    ])
  })

  it('goes with its run, also from what is stored next to the log', async () => {
    const { path } = await upload('deleted')
    await annotate(path, { title: 'Ocelot', add_tags: ['of deleted'] })
    const texts = () => spec.column("SELECT count(*) FROM annotation_texts WHERE texts LIKE '%Ocelot%'")
    expect(await texts()).toEqual([1])
    expect((await spec.sendAs('admin')('DELETE', path)).statusCode).toBe(204)
    expect(await texts()).toEqual([0])
    expect(await listed('tag=of+deleted')).toEqual([])
    expect((await spec.getJson<RunSearch>('/search/runs?q=ocelot')).runs).toEqual([])
    expect((await annotate(path, { title: 'x' }))[0]).toBe(404)
    await upload('deleted')
    expect(await added(path)).toBeUndefined()
    expect(await changes(path)).toEqual([])
  })

  it('goes with its record when that is erased', async () => {
    const { path } = await upload('erased')
    await annotate(path, { title: 'First' })
    await annotate(path, { title: 'Capybara', add_tags: ['of erased'] })
    const [seq] = await spec.column("SELECT max(seq) FROM events WHERE type = 'RunAnnotated'")
    const erase = await spec.sendAs('admin')('POST', '/erasures', {
      headers: json,
      body: JSON.stringify({ reference: 'case-1', seqs: [seq] }),
    })
    expect([erase.statusCode, erase.json()]).toMatchObject([200, { records: 1, kept: 1 }])
    expect(await added(path)).toBeUndefined()
    expect((await changes(path)).map(({ title }) => title)).toEqual(['First'])
    expect(await listed('tag=of+erased')).toEqual([])
    expect((await spec.getJson<RunSearch>('/search/runs?q=capybara')).runs).toEqual([])
    await annotate(path, { note: 'again', revision: null })
    expect(await added(path)).toMatchObject({ title: null, note: 'again' })
  })
})

describe('an account that may write to the suite', () => {
  it('adds, and no other caller; a hidden run answers as an unknown one', async () => {
    const { path, project } = await upload('guarded')
    const [anna, ben, cleo] = [await spec.addUser('anna'), await spec.addUser('ben'), await spec.addUser('cleo')]
    const viewer = await spec.addUser('dora', 'viewer')
    expect((await annotate(path, { note: 'open to all' }, anna.send))[0]).toBe(200)
    await spec.restrict(project)
    await spec.grant(anna.user_id, 'upload', project)
    await spec.grant(ben.user_id, 'view', project)
    expect(await annotate(path, { note: 'granted' }, anna.send)).toMatchObject([200, { added: { by: 'anna' } }])
    expect(await annotate(path, { note: 'seen' }, ben.send)).toEqual([
      403,
      { error: 'this run set is restricted; you need an upload grant on it' },
    ])
    expect((await annotate(path, { note: 'scope' }, viewer.send))[0]).toBe(403)
    for (const [send, hidden] of [
      [cleo.send, path],
      [cleo.send, '/runs/unknown'],
    ] as const) {
      expect(await annotate(hidden, { note: 'x' }, send)).toEqual([404, { error: 'run not found' }])
      expect(statusAndBody(await send('GET', `${hidden}/annotations`))).toEqual([404, { error: 'run not found' }])
    }
    expect((await cleo.send('GET', '/search/runs?q=granted')).json<RunSearch>().runs).toEqual([])
    expect((await ben.send('GET', '/search/runs?q=granted')).json<RunSearch>().runs).toHaveLength(1)
  })
})
