import { afterAll, beforeEach, expect, it } from 'vitest'
import type { Overview } from '../../../../queries/sets/overview.ts'
import type { SuiteSettings } from '../../../../queries/sets/suite-settings.ts'
import { json, statusAndBody } from '../../../support/access/access-requests.ts'
import { aCase, aDocument } from '../../../support/documents/documents.ts'
import { openApp, type Send } from '../../../support/servers/app.ts'

const DAY_MS = 86_400_000
const START = Date.UTC(2026, 4, 20, 12)
let clock = START
const spec = await openApp({ now: () => clock })
afterAll(() => spec.close())
const write = spec.sendAs('write')

let projects = 0
let project = ''
// A project of its own for each example. Times in the log never go back.
beforeEach(() => {
  clock += 60_000
  project = `project ${++projects}`
})

const upload = async (suite: string, run_id: string, ageDays = 0, failing = true) => {
  const at = new Date(clock - ageDays * DAY_MS).toISOString()
  const cases = [aCase(failing ? { status: 'error', error: 'timeout' } : {})]
  const document = aDocument({ run_id: `${project} ${run_id}`, project, suite, started_at: at, finished_at: at, cases })
  expect((await spec.ingest(document)).statusCode).toBe(201)
}
const path = (suite: string) => `/projects/${encodeURIComponent(project)}/suites/${suite}/settings`
type Answer = readonly [status: number, body: SuiteSettings & { readonly error?: string }]
const change = async (suite: string, body: object, send: Send = write): Promise<Answer> =>
  statusAndBody(await send('PATCH', path(suite), { headers: json, body: JSON.stringify(body) })) as Answer
const settings = (suite: string) => spec.getJson<SuiteSettings>(path(suite))
const overview = (query = '') => spec.getJson<Overview>(`/overview?project=${encodeURIComponent(project)}${query}`)
const groups = async (query = '') => (await overview(query)).suites.map(({ suite, group }) => `${suite} ${group}`)
const inDays = (days: number) => new Date(clock + days * DAY_MS).toISOString()

it('a suite has an owner, with who set it and when, by whom it is found', async () => {
  await upload('a', '1')
  await upload('b', '2')
  expect(await settings('a')).toEqual({ owner: null, snooze: null, archive: null, cost: null, latency: null })
  expect(await change('a', { owner: 'Team Walrus' })).toMatchObject([
    200,
    { owner: { name: 'Team Walrus', by: 'write' }, snooze: null, archive: null },
  ])
  expect((await overview()).suites.map(({ settings: each }) => each?.owner?.name ?? null)).toEqual([
    'Team Walrus',
    null,
  ])
  for (const query of ['&owner=Team+Walrus', '&q=walrus', '&q=team+project', '&q=walrus+error'])
    expect([query, await groups(query)]).toEqual([query, ['a attention']])
  expect(await groups('&owner=Walrus')).toEqual([])
  expect((await groups('&q=errors')).toSorted()).toEqual(['a attention', 'b attention'])
  expect(await change('a', { owner: null })).toMatchObject([200, { owner: null }])
  expect(await groups('&q=walrus')).toEqual([])
})

it('a snoozed suite leaves the list of attention until a time', async () => {
  await upload('a', '1')
  await upload('b', '2')
  const [status, set] = await change('a', { snooze: { until: inDays(2), why: 'The API is down.' } })
  expect([status, set.snooze]).toMatchObject([
    200,
    { why: 'The API is down.', until_new_run: false, is_over: false, by: 'write' },
  ])
  expect(await groups()).toEqual(['b attention', 'a snoozed'])
  expect((await overview()).counts).toMatchObject({ suites: 2, attention: 1, snoozed: 1 })
  expect(await groups('&attention=true')).toEqual(['b attention'])
  clock += 2 * DAY_MS
  expect((await groups()).toSorted()).toEqual(['a attention', 'b attention'])
  expect((await settings('a')).snooze?.is_over).toBe(true)
})

it('a snoozed suite returns with a new run, or when the snooze is ended', async () => {
  await upload('a', '1')
  await change('a', { snooze: { until_new_run: true } })
  expect(await groups()).toEqual(['a snoozed'])
  await upload('a', 'old', 3)
  expect(await groups()).toEqual(['a snoozed'])
  clock += 60_000
  await upload('a', '2')
  expect(await groups()).toEqual(['a attention'])
  await change('a', { snooze: { until: inDays(1), until_new_run: true } })
  expect(await groups()).toEqual(['a snoozed'])
  await change('a', { snooze: null })
  expect(await groups()).toEqual(['a attention'])
})

it('an archived suite is only in the list of archived ones', async () => {
  await upload('a', '1')
  await upload('b', '2', 0, false)
  expect(await change('a', { archive: { why: 'Replaced by b.' } })).toMatchObject([
    200,
    { archive: { why: 'Replaced by b.' } },
  ])
  expect(await groups()).toEqual(['b no_trend'])
  expect(await groups('&archived=true')).toEqual(['a archived'])
  expect((await overview()).counts).toMatchObject({ attention: 0, no_trend: 1, archived: 1 })
  await change('a', { archive: null })
  expect((await groups()).toSorted()).toEqual(['a attention', 'b no_trend'])
})

it('a suite without a run for 90 days needs no attention', async () => {
  await upload('year', '1', 400)
  await upload('quarter', '2', 91)
  await upload('month', '3', 30)
  expect((await groups()).toSorted()).toEqual(['month attention', 'quarter quiet', 'year quiet'])
  expect((await overview()).counts).toMatchObject({ attention: 1, quiet: 2 })
})

it('a suite has thresholds: from which rise of its cost and its latency on it needs attention', async () => {
  for (const [suite, ageDays, cost_usd, latency_ms] of [
    ['a', 2, 0.01, 100],
    ['a', 1, 0.014, 150],
    ['b', 2, 0.01, 100],
    ['b', 1, 0.014, 150],
  ] as const) {
    const at = new Date(clock - ageDays * DAY_MS).toISOString()
    const cases = Array.from({ length: 20 }, (_, n) => aCase({ cell: { test_id: `test-${n}` }, cost_usd, latency_ms }))
    const run_id = `${project} ${suite} ${ageDays}`
    const document = aDocument({ run_id, project, suite, started_at: at, finished_at: at, cases })
    expect((await spec.ingest(document)).statusCode).toBe(201)
  }
  const reasons = async () =>
    Object.fromEntries((await overview()).suites.map(({ suite, reason }) => [suite, reason.code]))
  expect(await reasons()).toEqual({ a: 'cost', b: 'cost' })
  expect(await change('a', { cost: { rise_percent: 41 } })).toMatchObject([
    200,
    { cost: { rise_percent: 41, by: 'write' }, latency: null },
  ])
  expect(await reasons()).toEqual({ a: 'latency', b: 'cost' })
  await change('a', { latency: { rise_percent: 51 } })
  expect(await reasons()).toEqual({ a: 'unchanged', b: 'cost' })
  expect((await overview()).suites.find(({ suite }) => suite === 'a')?.settings).toMatchObject({
    cost: { rise_percent: 41 },
    latency: { rise_percent: 51 },
  })
  expect(await change('a', { cost: { rise_percent: 39 } })).toMatchObject([200, { latency: { rise_percent: 51 } }])
  expect(await reasons()).toEqual({ a: 'cost', b: 'cost' })
  expect(await change('a', { cost: null, latency: null })).toMatchObject([200, { cost: null, latency: null }])
  expect(await settings('a')).toMatchObject({ cost: null, latency: null })
})

it('each change is a record, and nothing is recorded if nothing changes', async () => {
  await upload('a', '1')
  const records = () => spec.column("SELECT count(*) FROM events WHERE type = 'SuiteSettingChanged'")
  const [before = 0] = (await records()) as number[]
  const body = { owner: 'x', snooze: { until_new_run: true, why: 'y' }, archive: {}, cost: { rise_percent: 30 } }
  await change('a', body)
  expect(await records()).toEqual([before + 4])
  await change('a', body)
  await change('a', {})
  expect(await records()).toEqual([before + 4])
  const none = { owner: null, snooze: null, archive: null, cost: null, latency: null }
  await change('a', none)
  await change('a', none)
  expect(await records()).toEqual([before + 8])
})

it('errors name the field', async () => {
  await upload('a', '1')
  for (const [body, field] of [
    [{ owner: '' }, 'owner'],
    [{ owner: 'x'.repeat(101) }, 'owner'],
    [{ snooze: {} }, 'snooze'],
    [{ snooze: { until: 'tomorrow' } }, 'until'],
    [{ snooze: { until: inDays(-1) } }, 'until'],
    [{ snooze: { until: '9999999999999999' } }, 'until'],
    [{ archive: { why: ' ' } }, 'why'],
    [{ cost: { rise_percent: -1 } }, 'rise_percent'],
    [{ cost: { rise_percent: 1.5 } }, 'rise_percent'],
    [{ latency: { rise_percent: 100_001 } }, 'rise_percent'],
    [{ latency: {} }, 'rise_percent'],
    [{ note: 'x' }, 'note'],
  ] as const) {
    const [status, { error }] = await change('a', body)
    expect([status, error]).toEqual([422, expect.stringContaining(field)])
  }
})

it('an account that may write to the suite sets it; a hidden suite answers as an unknown one', async () => {
  await upload('a', '1')
  await spec.restrict(project)
  const [anna, ben, cleo] = [
    await spec.addUser(`anna ${project}`),
    await spec.addUser(`ben ${project}`),
    await spec.addUser(`cleo ${project}`),
  ]
  await spec.grant(anna.user_id, 'upload', project)
  await spec.grant(ben.user_id, 'view', project)
  expect((await change('a', { owner: 'Team Ibex' }, anna.send))[0]).toBe(200)
  expect(await change('a', { owner: 'x' }, ben.send)).toEqual([
    403,
    { error: 'this run set is restricted; you need an upload grant on it' },
  ])
  const hidden = statusAndBody(await cleo.send('GET', path('a')))
  expect(hidden).toEqual([404, { error: 'run set not found' }])
  expect(statusAndBody(await cleo.send('GET', path('unknown')))).toEqual(hidden)
  expect(await change('a', { owner: 'x' }, cleo.send)).toEqual(hidden)
  expect(await change('unknown', { owner: 'x' }, cleo.send)).toEqual(hidden)
  expect((await cleo.send('GET', '/overview?q=ibex')).json<Overview>()).toMatchObject({ suites: [] })
})

it('a threshold stays without its author when its record is erased', async () => {
  await upload('a', '1')
  await change('a', { cost: { rise_percent: 60 } })
  const seqs = await spec.column("SELECT max(seq) FROM events WHERE type = 'SuiteSettingChanged'")
  const body = JSON.stringify({ reference: 'case-2', seqs })
  const erased = await spec.sendAs('admin')('POST', '/erasures', { headers: json, body })
  expect([erased.statusCode, erased.json()]).toMatchObject([200, { records: 1, kept: 1 }])
  expect(await settings('a')).toMatchObject({ cost: { rise_percent: 60, by: null } })
})

it('texts go with their record when that is erased', async () => {
  await upload('a', '1')
  await change('a', { owner: 'Carla', snooze: { until_new_run: true, why: 'Carla is away.' } })
  const seqs = await spec.column("SELECT seq FROM events WHERE type = 'SuiteSettingChanged' ORDER BY seq DESC LIMIT 2")
  const erased = await spec.sendAs('admin')('POST', '/erasures', {
    headers: json,
    body: JSON.stringify({ reference: 'case-1', seqs }),
  })
  expect([erased.statusCode, erased.json()]).toMatchObject([200, { records: 2, kept: 2 }])
  expect(await settings('a')).toMatchObject({ owner: null, snooze: { why: null, by: null, until_new_run: true } })
  expect(await spec.column("SELECT count(*) FROM suite_setting_texts WHERE texts LIKE '%Carla%'")).toEqual([0])
})
