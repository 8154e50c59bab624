import { createHash } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { PlanDetail, PlanList } from '../../../../queries/plans/plans.ts'
import type { RunDetail } from '../../../../queries/runs/run-detail.ts'
import { eventsOf, get, json, statusAndBody } from '../../../support/access/access-requests.ts'
import { aCase, aDocument, type ADocument } from '../../../support/documents/documents.ts'
import { openApp, type Send, type SpecUser } from '../../../support/servers/app.ts'

/** The documents of this spec start an hour later. */
const EIGHT = Date.UTC(2026, 4, 4, 8)
const SECOND = 1000
const NOT_FOUND = [404, { error: 'plan not found' }]
const NO_UPLOAD = [403, { error: 'this run set is restricted; you need an upload grant on it' }]
let clock = EIGHT
let suites = 0
/** A suite that only one example uses. */
let suite = ''
let project = ''
afterAll(() => spec.close())
beforeEach(() => {
  // Times in the log never go back.
  clock += SECOND
  suite = `suite ${++suites}`
  project = `project ${suites}`
})

const instant = (ms: number) => `${new Date(ms).toISOString().slice(0, -5)}+00:00`
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

const post = async (path: string, body?: unknown, send = write) =>
  statusAndBody(await send('POST', path, body === undefined ? {} : { headers: json, body: JSON.stringify(body) }))
const register = async (more: object = {}, send = write): Promise<PlanDetail> => {
  const answer = await send('POST', '/plans', {
    headers: json,
    body: JSON.stringify({ project, suite, text: 'At least nine of ten.', ...more }),
  })
  expect(answer.statusCode, answer.body).toBe(201)
  return answer.json<PlanDetail>()
}
const upload = async (document: Partial<ADocument>, plan?: string, send = write) => {
  const query = plan === undefined ? '' : `?plan=${encodeURIComponent(plan)}`
  const answer = await send('POST', `/runs${query}`, {
    headers: json,
    body: JSON.stringify(aDocument({ project, suite, ...document })),
  })
  return [answer.statusCode, answer.json<{ error?: string }>().error]
}
const runOf = async (id: string): Promise<RunDetail> =>
  (await write('GET', `/runs/${encodeURIComponent(id)}`)).json<RunDetail>()
const planOf = async (id: string) => (await runOf(id)).plan
const attempts = async (id: string): Promise<number> => (await write('GET', `/plans/${id}`)).json<PlanDetail>().attempts
const runId = (name: string) => `${name} of ${suite}`
const spec = await openApp({ now: () => clock })
const write = spec.sendAs('write')

describe('a plan', () => {
  it('is registered with its text, byte for byte', async () => {
    const text = '\ufeff{"bar": 0.9}\r\n\u0000é'
    const plan = await register({
      text,
      config_digest: 'sha256:c',
      metric: 'pass_rate',
      comparator: '>=',
      threshold: 0.9,
      case_count: 10,
    })
    expect(plan).toEqual({
      id: expect.stringMatching(/^[0-9A-Z]{26}$/) as string,
      project,
      suite,
      plan_sha256: sha256(text),
      plan_bytes: Buffer.byteLength(text),
      config_digest: 'sha256:c',
      metric: 'pass_rate',
      comparator: '>=',
      threshold: 0.9,
      case_count: 10,
      registered_by: 'write',
      attempts: 0,
      registered_at: instant(clock),
      revealed_at: null,
      withdrawn_at: null,
      text,
    })
    expect(await get(write, `/plans/${plan.id}`)).toEqual([200, plan])
    const { text: _, ...listed } = plan
    expect(await get(write, `/plans?project=${encodeURIComponent(project)}`)).toEqual([
      200,
      { plans: [listed], next_cursor: null },
    ])
  })

  it('takes 64 KiB of text, however JSON writes them', async () => {
    expect((await register({ text: '\u0001'.repeat(65_536) })).plan_bytes).toBe(65_536)
    expect(await post('/plans', { project, suite, text: 'a'.repeat(65_537) })).toEqual([
      422,
      { error: 'text must have 1 to 65536 bytes of UTF-8, not 65537' },
    ])
    expect(((await post('/plans', { project, suite, text: 'a'.repeat(420_000) })) as unknown[])[0]).toBe(413)
  })

  it('can be registered by its digest, and revealed once', async () => {
    const plan = await register({ text: null, plan_sha256: sha256('later') })
    expect(plan).toMatchObject({ text: null, plan_bytes: null, revealed_at: null })
    const reveal = (text: string) => post(`/plans/${plan.id}/reveal`, { text })
    expect(await reveal('another')).toMatchObject([422, { error: expect.stringContaining(sha256('later')) as string }])
    clock += SECOND
    const revealed = { ...plan, text: 'later', plan_bytes: 5, revealed_at: instant(clock) }
    expect(await reveal('later')).toEqual([200, revealed])
    expect(await reveal('later')).toEqual([409, { error: 'the text of this plan is known already' }])
    expect(await get(write, `/plans/${plan.id}`)).toEqual([200, revealed])
  })

  it('is withdrawn once; doing it again changes nothing', async () => {
    const plan = await register()
    clock += SECOND
    const withdrawn = { ...plan, withdrawn_at: instant(clock) }
    expect(await post(`/plans/${plan.id}/withdraw`)).toEqual([200, withdrawn])
    clock += SECOND
    expect(await post(`/plans/${plan.id}/withdraw`)).toEqual([200, withdrawn])
  })

  it('is listed by set, the newest first, in pages', async () => {
    const [first, second] = [await register(), await register()]
    await register({ suite: 'other' })
    const list = async (query: string): Promise<PlanList> => (await write('GET', `/plans?${query}`)).json<PlanList>()
    const set = `project=${encodeURIComponent(project)}&suite=${encodeURIComponent(suite)}`
    const page = await list(`${set}&limit=1`)
    expect(page.plans.map(({ id }) => id)).toEqual([second.id])
    const rest = await list(`${set}&limit=1&cursor=${page.next_cursor}`)
    expect([rest.plans.map(({ id }) => id), rest.next_cursor]).toEqual([[first.id], null])
    expect((await list(`project=${encodeURIComponent(project)}`)).plans).toHaveLength(3)
    expect((await list(`suite=${encodeURIComponent(suite)}`)).plans).toHaveLength(2)
    // Text that is no cursor.
    expect((await list(`${set}&cursor=!`)).plans).toHaveLength(2)
  })

  it.each([
    ['without a suite', { suite: undefined }, 'suite'],
    ['for an empty suite', { suite: '' }, 'suite'],
    ['for a name with NUL', { project: 'a\0' }, 'project'],
    ['for the suite ".."', { suite: '..' }, 'suite'],
    ['without text and digest', { text: undefined }, 'text or plan_sha256 is required'],
    ['with an empty text', { text: '' }, 'text'],
    ['with a digest in capitals', { plan_sha256: sha256('a').toUpperCase() }, 'plan_sha256'],
    ['with a threshold alone', { threshold: 0.5 }, 'give all three, or none'],
    ['with a threshold above 1', { metric: 'pass_rate', comparator: '>', threshold: 1.1 }, 'threshold'],
    ['with another comparator', { metric: 'pass_rate', comparator: '<', threshold: 1 }, 'comparator'],
    ['with another metric', { metric: 'cost', comparator: '>', threshold: 1 }, 'metric'],
    ['for no cases', { case_count: 0 }, 'case_count'],
    ['with an unknown field', { name: 'x' }, 'name'],
  ])('is refused %s', async (_, change, error) =>
    expect(await post('/plans', { project, suite, text: 'text', ...change })).toEqual([
      422,
      { error: expect.stringContaining(error) as string },
    ]),
  )
})

describe('a run follows', () => {
  it('the plan that its upload names, with its number among all such runs', async () => {
    const { id, registered_at } = await register()
    expect(await upload({ run_id: runId('a') }, id)).toEqual([201, undefined])
    const plan = { id, registered_at, attempt: 1, attempts: 1, state: 'before', met: null, complete: null }
    expect(await planOf(runId('a'))).toEqual(plan)
    expect(await upload({ run_id: runId('b') }, id)).toEqual([201, undefined])
    expect(await upload({ run_id: runId('none') })).toEqual([201, undefined])
    expect(await planOf(runId('b'))).toEqual({ ...plan, attempt: 2, attempts: 2 })
    // A cached answer shows the later run too.
    expect(await planOf(runId('a'))).toEqual({ ...plan, attempts: 2 })
    expect(await planOf(runId('none'))).toBeNull()
    const recorded = (await eventsOf(spec)).filter(({ data }) => data['suite'] === suite && 'run_no' in data)
    expect(recorded.map(({ data }) => [data['plan_id'], data['attempt']])).toEqual([
      [id, 1],
      [id, 2],
      [null, null],
    ])
  })

  it('the newest plan of its suite with its configuration digest', async () => {
    await register({ config_digest: 'sha256:other' })
    await register({ config_digest: 'sha256:c', suite: 'other' })
    await register({ config_digest: 'sha256:c' })
    const newest = await register({ config_digest: 'sha256:c' })
    await register()
    await upload({ run_id: runId('a'), config_digest: 'sha256:c' })
    await upload({ run_id: runId('b'), config_digest: '' })
    expect(await planOf(runId('a'))).toMatchObject({ id: newest.id, attempt: 1 })
    expect(await planOf(runId('b'))).toBeNull()
    await post(`/plans/${newest.id}/withdraw`)
    await upload({ run_id: runId('c'), config_digest: 'sha256:c' })
    expect((await planOf(runId('c')))?.id).not.toBe(newest.id)
    // It followed the plan before the withdrawal.
    expect(await planOf(runId('a'))).toMatchObject({ id: newest.id, attempt: 1 })
  })

  it('the named plan rather than one with its configuration digest', async () => {
    const named = await register()
    await register({ config_digest: 'sha256:c' })
    await upload({ run_id: runId('a'), config_digest: 'sha256:c' }, named.id)
    expect(await planOf(runId('a'))).toMatchObject({ id: named.id })
  })

  it('no plan that is unknown, withdrawn or of another suite: nothing is recorded', async () => {
    const withdrawn = await register({ config_digest: 'sha256:c' })
    await post(`/plans/${withdrawn.id}/withdraw`)
    await register({ config_digest: 'sha256:c' })
    const elsewhere = await register({ suite: 'other' })
    const before = await eventsOf(spec)
    for (const plan of ['', 'nothing', withdrawn.id, elsewhere.id])
      expect(await upload({ run_id: runId('a'), config_digest: 'sha256:c' }, plan)).toEqual([
        422,
        'plan not found in this suite',
      ])
    for (const set of [{ project: null }, { suite: null }])
      expect(await upload({ run_id: runId('a'), ...set }, elsewhere.id)).toEqual([422, 'plan not found in this suite'])
    expect(await eventsOf(spec)).toEqual(before)
    expect(await attempts(withdrawn.id)).toBe(0)
  })

  it('no plan later: an upload of the same run changes nothing, whatever it names', async () => {
    const [first, second] = [await register(), await register()]
    await upload({ run_id: runId('a') }, first.id)
    await upload({ run_id: runId('b') })
    const before = await eventsOf(spec)
    for (const plan of [undefined, first.id, second.id, 'nothing']) {
      expect(await upload({ run_id: runId('a') }, plan)).toEqual([200, undefined])
      expect(await upload({ run_id: runId('b') }, plan)).toEqual([200, undefined])
      // The same content in other bytes.
      expect(await upload({ run_id: runId('a'), extra: plan ?? '' }, plan)).toEqual([200, undefined])
    }
    expect(await eventsOf(spec)).toEqual(before)
    expect(await planOf(runId('a'))).toMatchObject({ id: first.id, attempt: 1, attempts: 1 })
    expect(await planOf(runId('b'))).toBeNull()
  })

  it('a plan with a number of its own, even if many are uploaded at once', async () => {
    const { id } = await register()
    const names = Array.from({ length: 12 }, (_, n) => runId(`at once ${n}`))
    await Promise.all(names.map((run_id) => upload({ run_id }, id)))
    const numbers = await Promise.all(names.map(async (run_id) => (await planOf(run_id))?.attempt ?? 0))
    expect(numbers.sort((a, b) => a - b)).toEqual(names.map((_, n) => n + 1))
  })

  it('a plan whose deleted runs still count', async () => {
    const { id } = await register()
    for (const name of ['a', 'b']) await upload({ run_id: runId(name) }, id)
    for (const name of ['a', 'b'])
      expect((await spec.sendAs('admin')('DELETE', `/runs/${encodeURIComponent(runId(name))}`)).statusCode).toBe(204)
    expect(await attempts(id)).toBe(2)
    await upload({ run_id: runId('a') }, id)
    expect(await planOf(runId('a'))).toMatchObject({ attempt: 3, attempts: 3 })
  })
})

describe('the plan of a run', () => {
  it('is late if the document says that the run started before the plan', async () => {
    const { id } = await register()
    const at = (ms: number) => new Date(ms).toISOString()
    const started = async (name: string, started_at: string, finished_at = at(clock + SECOND)) => {
      await upload({ run_id: runId(name), started_at, finished_at }, id)
      return (await planOf(runId(name)))?.state
    }
    expect(await started('before', at(clock - 1))).toBe('late')
    expect(await started('at once', at(clock))).toBe('before')
    // The start alone counts, to the last digit, whatever the end is.
    expect(await started('a moment before', `${at(clock - 1).slice(0, -1)}999Z`)).toBe('late')
    expect(await started('ended before it started', at(clock), at(clock - SECOND))).toBe('before')
  })

  const passing = (passed: number, of: number) => ({
    cases: Array.from({ length: of }, (_, repeat) =>
      aCase({ cell: { repeat }, status: repeat < passed ? 'pass' : 'fail' }),
    ),
  })

  it.each([
    ['>=', 0.9, 9, true],
    ['>=', 0.9, 8, false],
    ['>', 0.9, 9, false],
    ['>', 0.9, 10, true],
  ] as const)('is met if the pass rate is %s %d', async (comparator, threshold, passed, met) => {
    const { id } = await register({ metric: 'pass_rate', comparator, threshold, case_count: 10 })
    await upload({ run_id: runId('a'), ...passing(passed, 10) }, id)
    expect(await planOf(runId('a'))).toMatchObject({ met, complete: true })
  })

  it('is complete with the planned number of cases', async () => {
    const { id } = await register({ case_count: 2 })
    for (const [name, cases] of [
      ['less', 1],
      ['all', 2],
      ['more', 3],
    ] as const)
      await upload({ run_id: runId(name), ...passing(1, cases) }, id)
    expect([
      (await planOf(runId('less')))?.complete,
      (await planOf(runId('all')))?.complete,
      (await planOf(runId('more')))?.complete,
    ]).toEqual([false, true, false])
  })

  it('is shown by the page of the run as well', async () => {
    const { id } = await register()
    await upload({ run_id: runId('a') }, id)
    const inSuite = await write('GET', `/runs/${encodeURIComponent(runId('a'))}/in-suite`)
    expect(inSuite.json<RunDetail>().plan).toEqual(await planOf(runId('a')))
  })
})

describe('a hidden plan', () => {
  let stranger: SpecUser
  let viewer: SpecUser
  let hidden: PlanDetail
  beforeAll(async () => {
    stranger = await spec.addUser('stranger')
    viewer = await spec.addUser('viewer of the vault')
    ;[project, suite] = ['secret', 'vault']
    hidden = await register({ text: null, plan_sha256: sha256('hidden') })
    await spec.restrict('secret')
    await spec.grant(viewer.user_id, 'view', 'secret')
  })

  const every = async (send: Send, id: string) => [
    await get(send, `/plans/${id}`),
    await post(`/plans/${id}/reveal`, { text: 'hidden' }, send),
    await post(`/plans/${id}/withdraw`, undefined, send),
  ]

  it('is absent, byte for byte', async () => {
    expect(await every(stranger.send, hidden.id)).toEqual([NOT_FOUND, NOT_FOUND, NOT_FOUND])
    expect(await every(stranger.send, 'nothing')).toEqual([NOT_FOUND, NOT_FOUND, NOT_FOUND])
    expect(await get(stranger.send, '/plans?project=secret')).toEqual([200, { plans: [], next_cursor: null }])
    expect(await post('/plans', { project: 'secret', suite: 'vault', text: 'x' }, stranger.send)).toEqual(NO_UPLOAD)
  })

  it('does not change the answer to a body of the wrong shape', async () => {
    const set = { project: 'secret', suite: 'vault' }
    const wrong = [
      [{ ...set }, 'text or plan_sha256 is required'],
      [{ ...set, text: '\ud800' }, 'text must be well-formed Unicode'],
      [{ ...set, text: 'x', plan_sha256: sha256('y') }, 'plan_sha256 is not the SHA-256 of text'],
      [{ ...set, text: 'x', threshold: 1 }, 'give all three, or none'],
      [{ ...set, suite: '..', text: 'x' }, 'suite'],
    ] as const
    for (const [body, error] of wrong)
      expect(await post('/plans', body, stranger.send), error).toEqual([
        422,
        { error: expect.stringContaining(error) as string },
      ])
    for (const id of [hidden.id, 'nothing'])
      expect(await post(`/plans/${id}/reveal`, { text: '' }, stranger.send)).toEqual([
        422,
        { error: 'text must have 1 to 65536 bytes of UTF-8, not 0' },
      ])
  })

  it('cannot be followed: the upload is refused as one that names an unknown plan', async () => {
    for (const id of [hidden.id, 'nothing'])
      expect(await upload({ run_id: runId('a') }, id, stranger.send)).toEqual([422, 'plan not found in this suite'])
  })

  it('is read with any grant, and changed with the upload level', async () => {
    expect(await every(viewer.send, hidden.id)).toEqual([[200, hidden], NO_UPLOAD, NO_UPLOAD])
    await spec.grant(viewer.user_id, 'upload', 'secret')
    expect((await every(viewer.send, hidden.id)).map((answer) => (answer as unknown[])[0])).toEqual([200, 200, 200])
  })

  it('needs the write scope to be registered', async () =>
    expect(await post('/plans', { project, suite, text: 'x' }, spec.sendAs('read'))).toEqual([
      403,
      { error: 'insufficient scope: write is needed' },
    ]))
})
