import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { findAgedRun } from '../../../../queries/runs/expired-runs.ts'
import { SYSTEM } from '../../../../queries/access/viewer.ts'
import type { HoldList, HoldView } from '../../../../queries/runs/holds.ts'
import { openApp, type SpecApp } from '../../../support/servers/app.ts'
import { aDocument } from '../../../support/documents/documents.ts'

const post = async (spec: SpecApp, path: string, body: object) => {
  const answer = await spec.sendAs('admin')('POST', path, {
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  return { status: answer.statusCode, body: answer.json<HoldView & { readonly error?: string }>() }
}
const remove = (spec: SpecApp, id: string) => spec.sendAs('admin')('DELETE', `/runs/${id}`)
const isHeld = async (spec: SpecApp, id: string): Promise<boolean> =>
  (await spec.sendAs('read')('GET', `/runs/${id}`)).json<{ held: boolean }>().held

describe('a legal hold', () => {
  let spec: SpecApp
  beforeEach(async () => {
    spec = await openApp()
    await spec.ingest(aDocument({ run_id: 'a', project: 'chat', suite: 'smoke' }))
    await spec.ingest(aDocument({ run_id: 'b', project: 'chat', suite: 'other' }))
    await spec.ingest(aDocument({ run_id: 'c', project: 'mail', suite: 'smoke' }))
  })
  afterEach(() => spec.close())

  it('stands until it is lifted, and is shown with who placed and lifted it', async () => {
    const placed = await post(spec, '/holds', { run_id: 'a', reference: 'LAW-1', note: 'letter of 4 May' })
    const { id } = placed.body
    const hold = {
      id: expect.any(String) as string,
      project: null,
      suite: null,
      run_id: 'a',
      reference: 'LAW-1',
      note: 'letter of 4 May',
      placed_at: expect.any(String) as string,
      placed_by: 'admin',
      lifted_at: null,
      lifted_by: null,
    }
    expect(placed).toEqual({ status: 201, body: hold })
    expect(await post(spec, '/holds', { run_id: 'a', reference: 'LAW-1' })).toEqual({
      status: 200,
      body: { ...hold, id },
    })
    expect(await isHeld(spec, 'a')).toBe(true)
    expect(await isHeld(spec, 'b')).toBe(false)
    const refused = await remove(spec, 'a')
    expect([refused.statusCode, refused.json()]).toEqual([409, { error: `run is under legal hold ${id}` }])

    const lifted = await post(spec, `/holds/${id}/lift`, { reference: 'LAW-2' })
    expect(lifted).toEqual({
      status: 200,
      body: { ...hold, id, lifted_at: expect.any(String) as string, lifted_by: 'admin' },
    })
    expect(await post(spec, `/holds/${id}/lift`, { reference: 'LAW-2' })).toEqual({
      status: 409,
      body: { error: 'this hold was lifted before' },
    })
    expect(await isHeld(spec, 'a')).toBe(false)
    expect((await spec.sendAs('admin')('GET', `/holds/${id}`)).json()).toEqual(lifted.body)
  })

  it('on a suite or a project holds its runs, also those to come', async () => {
    const suite = await post(spec, '/holds', { project: 'chat', suite: 'smoke', reference: 'LAW-3' })
    const project = await post(spec, '/holds', { project: 'mail', reference: 'LAW-3' })
    expect([suite.status, project.status]).toEqual([201, 201])
    await spec.ingest(aDocument({ run_id: 'd', project: 'mail', suite: null }))
    expect(await Promise.all(['a', 'b', 'c', 'd'].map((id) => isHeld(spec, id)))).toEqual([true, false, true, true])
    expect((await remove(spec, 'd')).statusCode).toBe(409)
    expect((await remove(spec, 'b')).statusCode).toBe(204)

    const second = await post(spec, '/holds', { project: 'mail', reference: 'LAW-4' })
    await post(spec, `/holds/${project.body.id}/lift`, { reference: 'LAW-5' })
    expect((await remove(spec, 'd')).json()).toEqual({ error: `run is under legal hold ${second.body.id}` })
    await post(spec, `/holds/${second.body.id}/lift`, { reference: 'LAW-5' })
    expect((await remove(spec, 'd')).statusCode).toBe(204)
  })

  it('is passed over by retention', async () => {
    const hold = await post(spec, '/holds', { project: 'chat', suite: 'smoke', reference: 'LAW-3' })
    await spec.ingest(aDocument({ run_id: 'e', project: 'chat', suite: 'smoke' }))
    const candidate = await spec.service.reader.read(findAgedRun(SYSTEM, 'e'))
    if (!candidate) throw new Error('the run is missing')
    await spec.ingest(aDocument({ run_id: 'f', project: 'chat', suite: 'smoke', finished_at: '2027-01-01T00:00:00Z' }))
    const expire = () => spec.service.commit.expireRun(SYSTEM, { candidate, before: Date.UTC(2030, 1) })
    expect(await expire()).toEqual({ deleted: false })
    await post(spec, `/holds/${hold.body.id}/lift`, { reference: 'LAW-6' })
    expect(await expire()).toEqual({ deleted: true })
  })

  it('needs a run that exists, and exactly one scope', async () => {
    expect(await post(spec, '/holds', { run_id: 'nothing', reference: 'LAW-7' })).toEqual({
      status: 404,
      body: { error: 'run not found' },
    })
    expect((await post(spec, '/holds', { project: 'new', suite: 'new', reference: 'LAW-7' })).status).toBe(201)
    for (const body of [
      { reference: 'x' },
      { run_id: 'a', project: 'chat', reference: 'x' },
      { run_id: 'a', project: '', reference: 'x' },
      { suite: 'smoke', reference: 'x' },
      { run_id: 'c', reference: 'two words' },
      { run_id: 'c', reference: 'x', note: '🙂'.repeat(2001) },
    ])
      expect((await post(spec, '/holds', body)).status).toBe(422)
    expect((await post(spec, '/holds', { run_id: 'c', reference: 'x', note: '🙂'.repeat(2000) })).status).toBe(201)
  })

  it.each([
    ['project', { project: '.' }],
    ['suite', { project: 'chat', suite: '..' }],
    ['project', { project: 'x'.repeat(401) }],
    ['project', { project: '\ud800' }],
    ['suite', { project: 'chat', suite: 'a\0b' }],
    ['note', { project: 'chat', note: 'a\ud800b' }],
    ['note', { project: 'chat', note: 'a\0b' }],
  ])('needs a %s that can be stored: %j', async (field, body) => {
    const { status, body: answer } = await post(spec, '/holds', { reference: 'LAW-8', ...body })
    expect({ status, error: answer.error }).toEqual({ status: 422, error: expect.stringContaining(field) as string })
    const scope = { run_id: null, suite: null, note: null, ...body }
    const placed = spec.service.commit.placeHold(SYSTEM, { hold_id: 'h', reference: 'LAW-8', ...scope })
    await expect(placed).rejects.toThrow(`${field}: must `)
  })

  it.each(['\ud800', 'a\0b', '\ufffd', 'x'.repeat(5000)])(
    'knows no run with an id that none has: %j',
    async (run_id) => {
      expect(await post(spec, '/holds', { run_id, reference: 'LAW-8' })).toEqual({
        status: 404,
        body: { error: 'run not found' },
      })
    },
  )

  it('may be on a project whose name is empty, because a run may have it', async () => {
    await spec.ingest(aDocument({ run_id: 'nameless', project: '', suite: 'smoke' }))
    expect((await post(spec, '/holds', { project: '', reference: 'LAW-9' })).status).toBe(201)
    expect(await isHeld(spec, 'nameless')).toBe(true)
  })

  it('is listed newest first, in pages', async () => {
    const list = async (query: string) => (await spec.sendAs('admin')('GET', `/holds?${query}`)).json<HoldList>()
    const all = (await list('limit=200')).holds
    expect(all.map(({ id }) => id)).toEqual(
      all
        .map(({ id }) => id)
        .toSorted()
        .toReversed(),
    )
    const paged: HoldView[] = []
    let cursor: string | null = ''
    while (cursor !== null) {
      const page: HoldList = await list(`limit=2${cursor === '' ? '' : `&cursor=${cursor}`}`)
      paged.push(...page.holds)
      cursor = page.next_cursor
    }
    expect(paged).toEqual(all)
    for (const other of ['garbage', 'x', '~', '1', all[0]?.id.toLowerCase()])
      expect(await list(`limit=2&cursor=${other}`)).toEqual(await list('limit=2'))
    expect((await list('standing=true')).holds).toEqual(all.filter(({ lifted_at }) => lifted_at === null))
    expect((await list('standing=false')).holds).toEqual(all.filter(({ lifted_at }) => lifted_at !== null))
  })
})

it('a hold on a hidden run does not show when a viewer tries to delete it', async () => {
  const spec = await openApp({ mode: 'open' })
  for (const run_id of ['hidden', 'shown']) await spec.ingest(aDocument({ run_id, project: run_id }))
  await spec.restrict('hidden')
  const holds = []
  for (const run_id of ['hidden', 'shown']) holds.push(await post(spec, '/holds', { run_id, reference: 'LAW-1' }))
  const deletion = async (path: string) => {
    const { statusCode, headers, body } = await spec.sendAs(null)('DELETE', path)
    const { 'x-request-id': _, date: __, ...others } = headers
    return { statusCode, headers: others, body }
  }
  expect(await deletion('/runs/hidden')).toEqual(await deletion('/runs/absent'))
  expect(await deletion('/runs?run_id=hidden')).toEqual(await deletion('/runs?run_id=absent'))
  expect(await deletion('/runs/hidden')).toMatchObject({ statusCode: 404, body: '{"error":"run not found"}' })
  // A viewer who sees the run gets the reason.
  expect(await deletion('/runs/shown')).toMatchObject({
    statusCode: 409,
    body: JSON.stringify({ error: `run is under legal hold ${holds[1]?.body.id}` }),
  })
  await spec.close()
})
