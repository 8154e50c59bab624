import { createHash } from 'node:crypto'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import type { RubricDetail, RubricList } from '../../../../queries/reviews/rubrics.ts'
import { eventsOf, get, json, statusAndBody } from '../../../support/access/access-requests.ts'
import { EVERY_QUESTION, postRubric, RUBRIC_FIELDS } from '../../../support/documents/rubrics.ts'
import { openApp } from '../../../support/servers/app.ts'
import { verifyStore } from '../../../support/stores/verified.ts'

const NOT_FOUND = [404, { error: 'rubric not found' }]
let clock = Date.UTC(2026, 4, 4, 8)
let suites = 0
let set = { project: 'chat', suite: '' }
const spec = await openApp({ now: () => clock })
const write = spec.sendAs('write')
afterAll(() => spec.close())
beforeEach(() => {
  clock += 1000
  set = { project: 'chat', suite: `suite ${++suites}` }
})

const instant = (ms: number) => `${new Date(ms).toISOString().slice(0, -5)}+00:00`
const post = async (path: string, body?: unknown, send = write) =>
  statusAndBody(await send('POST', path, body === undefined ? {} : { headers: json, body: JSON.stringify(body) }))
const create = (more: object = {}) => postRubric(write, { ...set, ...more })
const addVersion = (id: string, more: object = {}, send = write) =>
  post(`/rubrics/${id}/versions`, { ...RUBRIC_FIELDS, change: 'meaning', ...more }, send)
const read = async (id: string, query = ''): Promise<RubricDetail> =>
  (await write('GET', `/rubrics/${id}${query}`)).json<RubricDetail>()

describe('a rubric', () => {
  it('is written, with the digest of its words in the log', async () => {
    const text = 'Pass if …\r\n\ufeffé'
    const id = await create({ text, questions: EVERY_QUESTION, valid_days: 30 })
    const rubric = await read(id)
    expect(rubric).toEqual({
      id,
      ...set,
      name: RUBRIC_FIELDS.name,
      version: 1,
      text_sha256: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
      change: null,
      valid_days: 30,
      versioned_at: instant(clock),
      versioned_by: 'write',
      retired_at: null,
      questions: EVERY_QUESTION.map((question) => ({ deciding: false, ...question })),
      show: RUBRIC_FIELDS.show,
      text,
    })
    const [words] = await spec.column(`SELECT words FROM rubric_texts WHERE text_id = '${id}.1'`)
    expect(
      createHash('sha256')
        .update(`${String(words)}\n${text}`)
        .digest('hex'),
    ).toBe(rubric.text_sha256)
    const event = (await eventsOf(spec)).find(({ stream }) => stream === `rubric/${id}`)
    expect(event).toMatchObject({ type: 'RubricVersioned', data: { text_sha256: rubric.text_sha256 } })
    for (const word of [RUBRIC_FIELDS.name, 'City', 'How kind']) expect(JSON.stringify(event)).not.toContain(word)
  })

  it('gets versions, and the earlier ones keep their bytes', async () => {
    const id = await create()
    const first = (await write('GET', `/rubrics/${id}?version=1`)).body
    expect(await addVersion(id, { text: 'Pass if the city and the year are right.' })).toMatchObject([
      201,
      { id, version: 2, change: 'meaning', text: 'Pass if the city and the year are right.' },
    ])
    expect(await addVersion(id, { change: 'wording', name: 'Right' })).toMatchObject([201, { version: 3 }])
    expect((await write('GET', `/rubrics/${id}?version=1`)).body).toBe(first)
    expect(await read(id)).toMatchObject({ version: 3, change: 'wording', name: 'Right' })
    expect(await get(write, `/rubrics/${id}?version=4`)).toEqual(NOT_FOUND)
  })

  it('gets one number for each of many versions that are sent at once', async () => {
    const id = await create()
    const answers = await Promise.all(Array.from({ length: 12 }, (_, n) => addVersion(id, { name: `Version ${n}` })))
    const versions = answers.map((answer) => (answer as [number, RubricDetail])[1].version)
    expect(versions.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 12 }, (_, n) => n + 2))
    for (const [n, version] of versions.entries())
      expect((await read(id, `?version=${version}`)).name).toBe(`Version ${n}`)
  })

  it('keeps its questions when only its wording changes', async () => {
    const id = await create()
    const [question] = RUBRIC_FIELDS.questions
    expect(await addVersion(id, { change: 'wording', questions: [{ ...question, label: 'Right?' }] })).toMatchObject([
      201,
      { questions: [{ label: 'Right?' }] },
    ])
    const other = { key: 'why', kind: 'comment', label: 'Why?' }
    expect(await addVersion(id, { change: 'wording', questions: [question, other] })).toEqual([
      422,
      { error: 'change: other questions, options or limits change the meaning of a rubric, not only its wording' },
    ])
  })

  it('is retired once, and gets no versions then', async () => {
    const id = await create()
    clock += 1000
    const retired = [200, { ...(await read(id)), retired_at: instant(clock) }]
    expect(await post(`/rubrics/${id}/retire`)).toEqual(retired)
    clock += 1000
    expect(await post(`/rubrics/${id}/retire`)).toEqual(retired)
    expect(await addVersion(id)).toEqual([409, { error: 'the rubric is retired' }])
  })

  it('is listed with its newest version, the newest rubric first, in pages', async () => {
    const [first, second] = [await create(), await create()]
    await addVersion(first)
    const list = async (query: string): Promise<RubricList> => (await write('GET', `/rubrics?${query}`)).json()
    const ofSuite = `project=chat&suite=${encodeURIComponent(set.suite)}`
    const page = await list(`${ofSuite}&limit=1`)
    expect(page.rubrics).toMatchObject([{ id: second, version: 1 }])
    const rest = await list(`${ofSuite}&limit=1&cursor=${page.next_cursor}`)
    expect(rest).toMatchObject({ rubrics: [{ id: first, version: 2 }], next_cursor: null })
    expect(JSON.stringify(rest)).not.toContain(RUBRIC_FIELDS.text)
  })

  it.each([
    ['no question', { questions: [] }, 'questions'],
    ['two questions that decide', { questions: [...RUBRIC_FIELDS.questions, ...RUBRIC_FIELDS.questions] }, 'own'],
    ['a text of 64 KiB and a byte', { text: 'a'.repeat(65_537) }, 'text must have at most 65536 bytes'],
    ['labels that count for no day', { valid_days: 0 }, 'valid_days'],
    ['labels that count for more than a year', { valid_days: 366 }, 'valid_days'],
    ['a field of who judged', { show: [{ field: 'reason', label: 'Reason' }] }, 'show'],
    ['the suite ".."', { suite: '..' }, 'suite'],
    ['a change, which the first version has not', { change: 'wording' }, 'change'],
  ])('is refused with %s', async (_, more, problem) =>
    expect(await post('/rubrics', { ...set, ...RUBRIC_FIELDS, ...more })).toMatchObject([
      422,
      { error: expect.stringContaining(problem) as string },
    ]),
  )

  it('passes `ers verify` until a byte of its text changes', async () => {
    const id = await create()
    await addVersion(id)
    expect((await verifyStore(spec)).finding).toBeNull()
    await spec.execute(`UPDATE rubric_texts SET text = 'Pass all.' WHERE text_id = '${id}.1'`)
    expect((await verifyStore(spec)).finding).toMatchObject({ kind: 'altered' })
    await spec.execute(`UPDATE rubric_texts SET text = '${RUBRIC_FIELDS.text}' WHERE text_id = '${id}.1'`)
  })
})

describe('a rubric of a restricted suite', () => {
  it('is absent for those who may not see the suite, and read-only without an upload grant', async () => {
    const id = await create()
    const [ann, ben, cat] = [await spec.addUser('ann'), await spec.addUser('ben'), await spec.addUser('cat')]
    await spec.restrict(set.project, set.suite)
    await spec.grant(ben.user_id, 'view', set.project, set.suite)
    await spec.grant(cat.user_id, 'upload', set.project, set.suite)
    expect(await get(ann.send, `/rubrics/${id}`)).toEqual(NOT_FOUND)
    expect(await addVersion(id, {}, ann.send)).toEqual(NOT_FOUND)
    expect(await post(`/rubrics/${id}/retire`, undefined, ann.send)).toEqual(NOT_FOUND)
    const ofSuite = `project=chat&suite=${encodeURIComponent(set.suite)}`
    expect(await get(ann.send, `/rubrics?${ofSuite}`)).toEqual([200, { rubrics: [], next_cursor: null }])
    const noUpload = [403, { error: 'this run set is restricted; you need an upload grant on it' }]
    expect(await get(ben.send, `/rubrics/${id}`)).toMatchObject([200, { id }])
    for (const send of [ann.send, ben.send])
      expect(await post('/rubrics', { ...set, ...RUBRIC_FIELDS }, send)).toEqual(noUpload)
    expect(await addVersion(id, {}, ben.send)).toEqual(noUpload)
    expect(await post(`/rubrics/${id}/retire`, undefined, ben.send)).toEqual(noUpload)
    expect(await addVersion(id, {}, cat.send)).toMatchObject([201, { version: 2, versioned_by: 'cat' }])
  })
})
