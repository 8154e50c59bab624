import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { clientOf, PASSWORD } from '../../support/access/accounts.ts'
import { answerChecker, type ApiDocument } from '../../support/http/documented-answers.ts'
import { openApp, type Caller, type SpecApp } from '../../support/servers/app.ts'
import { aBody, cacheKeyOf } from '../../support/documents/cache-bodies.ts'
import { aCase, aDocument, realDocuments, theExample, type ADocument } from '../../support/documents/documents.ts'
import { transcriptOf } from '../../support/transcripts/transcripts.ts'
import { digestOf, octets, postParts, putPart, sendEvidence } from '../../support/documents/parts.ts'
import { judgedRun } from '../../support/documents/queues.ts'
import { EVERY_QUESTION, postRubric, RUBRIC_FIELDS } from '../../support/documents/rubrics.ts'
import { fillPath, routesOf } from '../../support/http/routes.ts'

/** Served, but not part of the API. */
const HIDDEN = ['/metrics', '/healthz', '/livez', '/readyz', '/ready']
afterAll(() => spec.close())

const template = (url: string): string => url.replace(/:(\w+)/g, '{$1}').replace('*', '{rest}')
const spec = await openApp()
const document = (await spec.sendAs(null)('GET', '/openapi.json')).json<ApiDocument>()
const answers = answerChecker(document)

const TRANSCRIPT = transcriptOf([
  { type: 'span', id: 'a', kind: 'agent', name: 'main', at: '2026-05-04T09:00:00Z', ms: 5 },
  { type: 'message', parent: 'a', role: 'user', content: 'Hello' },
  'no event',
])

describe('the OpenAPI document', () => {
  it('is OpenAPI 3.1 with the version of the service', () => {
    expect(document.openapi).toMatch(/^3\.1\.\d+$/)
    expect(document.info).toMatchObject({ title: 'Evaluation Results Service', version: '1.2.3' })
    expect(document.components.securitySchemes).toHaveProperty('bearer')
  })

  it('documents every route of the app except the hidden ones, and no other', () => {
    const routes = routesOf(spec.app)
      .filter(({ method, url }) => method !== 'HEAD' && !HIDDEN.includes(url))
      .map(({ method, url }) => `${method} ${template(url)}`)
    const documented = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.keys(methods)
        .filter((method) => method !== 'head')
        .map((method) => `${method.toUpperCase()} ${path}`),
    )
    expect(documented.sort()).toEqual(routes.sort())
  })

  it('names every path parameter, and one tag per operation', () => {
    for (const [path, methods] of Object.entries(document.paths)) {
      const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name).sort()
      for (const { parameters = [], tags } of Object.values(methods)) {
        const pathParameters = (parameters as Array<{ in: string; name: string; required: boolean }>).filter(
          (parameter) => parameter.in === 'path',
        )
        expect(pathParameters.map(({ name }) => name).sort(), path).toEqual(names)
        expect(pathParameters.every(({ required }) => required)).toBe(true)
        expect(tags, path).toHaveLength(1)
      }
    }
  })

  it('has only schemas that compile', () => {
    for (const name of Object.keys(document.components.schemas))
      expect(answers.compile(answers.pointer('components', 'schemas', name))).toBeTypeOf('function')
    for (const [path, methods] of Object.entries(document.paths)) {
      for (const [method, { responses, parameters = [] }] of Object.entries(methods)) {
        expect(Object.keys(responses).length, path).toBeGreaterThan(0)
        for (const [status, { content = {} }] of Object.entries(responses)) {
          for (const type of Object.keys(content))
            answers.compile(answers.pointer('paths', path, method, 'responses', status, 'content', type, 'schema'))
        }
        for (const n of parameters.keys())
          answers.compile(answers.pointer('paths', path, method, 'parameters', String(n), 'schema'))
      }
    }
  })

  it('closes every response object, so that an undeclared key is an error', () => {
    const open: string[] = []
    const visit = (schema: unknown, location: string): void => {
      if (typeof schema !== 'object' || schema === null) return
      if (
        'type' in schema &&
        schema.type === 'object' &&
        'properties' in schema &&
        !('additionalProperties' in schema && schema.additionalProperties === false)
      )
        open.push(location)
      for (const [key, value] of Object.entries(schema)) visit(value, `${location}/${key}`)
    }
    for (const [name, schema] of Object.entries(document.components.schemas))
      if (!name.endsWith('Input') && name !== 'RunDocument') visit(schema, name)
    // A case is returned in its normal form, which has the shape of a case in the run document.
    expect(open.sort()).toEqual(['Case', 'CaseInSuite/properties/case'])
  })
})

/** Stands for the fields of a response without a body. */
const NO_FIELDS = { token: '', id: '', key: '', secret: '' }

const JSON_TYPE = 'application/json'
const JSON_HEADERS = { 'content-type': JSON_TYPE }
/** The content type of a successful response. */
const typeOf = (path: string): string => {
  if (path === '/events/stream') return 'text/event-stream'
  if (path === '/audit/export') return 'application/x-ndjson'
  if (path.endsWith('.html')) return 'text/html; charset=utf-8'
  if (path.endsWith('.svg')) return 'image/svg+xml'
  return path.endsWith('.csv') ? 'text/csv; charset=utf-8' : JSON_TYPE
}

/** Sends a request and checks the response against the document. */
const sendChecked = async (
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
  path: string,
  names: Readonly<Record<string, string>> = {},
  {
    query = '',
    caller = 'admin',
    body,
    on = spec,
  }: { query?: string; caller?: Caller; body?: unknown; on?: SpecApp } = {},
) => {
  const full = path === '/health' ? path : `/api/v1${path}`
  const answer = await on.sendAs(caller)(
    method,
    `${fillPath(full, names)}${query}`,
    body === undefined
      ? {}
      : {
          headers: { 'content-type': 'application/json' },
          body: typeof body === 'string' ? body : JSON.stringify(body),
        },
  )
  expect(answers.problem(full, method, answer)).toBeNull()
  if (answer.body !== '')
    expect(answer.headers['content-type']).toBe(
      answer.statusCode === 200 || (answer.statusCode === 404 && path.endsWith('.svg')) ? typeOf(path) : JSON_TYPE,
    )
  return answer
}

/** Reads the run, and its cases. */
const readRun = async (run: ADocument): Promise<void> => {
  const id = run.run_id
  const { project, suite } = { project: run.project ?? '', suite: run.suite ?? '' }
  for (const part of ['', '/export', '/config', '/cases', '/matrix', '/annotations', '/comments'])
    expect((await sendChecked('GET', `/runs/{id}${part}`, { id })).statusCode).toBe(200)
  expect((await sendChecked('GET', '/runs/{id}/cases', { id }, { query: '?limit=3&cached=false' })).statusCode).toBe(
    200,
  )
  expect((await sendChecked('GET', '/runs/{id}/matrix', { id }, { query: '?limit=1' })).statusCode).toBe(200)
  expect((await sendChecked('GET', '/runs/{id}/compare/{other}', { id, other: theExample().run_id })).statusCode).toBe(
    200,
  )
  const other = theExample().run_id
  const runs = [...new Set([id, other])].map(encodeURIComponent).join(',')
  expect((await sendChecked('GET', '/runs/{id}/statistics', { id }, { query: '?k=2' })).statusCode).toBe(200)
  expect((await sendChecked('GET', '/runs/{id}/leaderboard', { id })).statusCode).toBe(200)
  expect((await sendChecked('GET', '/runs/{id}/calibration', { id })).statusCode).toBe(200)
  expect((await sendChecked('GET', '/runs/{id}/compare/{other}/calibration', { id, other })).statusCode).toBe(200)
  expect((await sendChecked('GET', '/runs/{id}/compare/{other}/statistics', { id, other })).statusCode).toBe(200)
  expect((await sendChecked('GET', '/runs/{id}/compare/{other}/groups', { id, other })).statusCode).toBe(200)
  if (id !== other)
    expect((await sendChecked('GET', '/compare', {}, { query: `?runs=${runs}&filter=all` })).statusCode).toBe(200)
  for (const { cell } of run.cases.slice(0, 1)) {
    const names = { id, test_id: cell.test_id }
    expect((await sendChecked('GET', '/runs/{id}/tests/{test_id}', names)).statusCode).toBe(200)
    const query = `?runs=${runs}&test=${encodeURIComponent(cell.test_id)}`
    if (id !== other) expect((await sendChecked('GET', '/compare/outputs', {}, { query })).statusCode).toBe(200)
  }
  const word = /[a-z]{4,}/i.exec(String(run.cases[0]?.['name']))?.[0] ?? 'the'
  expect((await sendChecked('GET', '/search', {}, { query: `?q=${word}&limit=5` })).statusCode).toBe(200)
  for (const { case_key } of run.cases.slice(0, 5)) {
    expect((await sendChecked('GET', '/runs/{id}/cases/{case_key}', { id, case_key })).statusCode).toBe(200)
    for (const read of project === '' || suite === '' ? [] : ['history', 'timeline'])
      expect(
        (
          await sendChecked('GET', `/projects/{project}/suites/{suite}/cases/{case_key}/${read}`, {
            project,
            suite,
            case_key,
          })
        ).statusCode,
      ).toBe(200)
  }
}

/** Reads the project and the suite of a run. */
const readSets = async ({ project, suite }: Pick<ADocument, 'project' | 'suite'>): Promise<void> => {
  expect((await sendChecked('GET', '/overview', {}, { query: '?limit=500' })).statusCode).toBe(200)
  if (!project) return
  for (const read of ['/sets/{project}', '/projects/{project}/suites'])
    expect((await sendChecked('GET', read, { project })).statusCode).toBe(200)
  if (!suite) return
  for (const read of [
    '/sets/{project}/suites/{suite}',
    ...['grid', 'flakiness', 'trend', 'badge.svg', 'settings'].map(
      (name) => `/projects/{project}/suites/{suite}/${name}`,
    ),
  ])
    expect((await sendChecked('GET', read, { project, suite })).statusCode).toBe(200)
}

const readEverythingOf = async (run: ADocument): Promise<void> => {
  await readRun(run)
  await readSets(run)
}

describe('responses match the document', () => {
  beforeAll(() => spec.ingest(theExample()))

  it('for an empty service', async () => {
    const on = await openApp()
    for (const path of ['/health', '/ready', '/meta', '/openapi.json', '/runs', '/projects', '/sets', '/overview'])
      expect((await sendChecked('GET', path, {}, { on })).statusCode).toBe(200)
    expect((await sendChecked('GET', '/search', {}, { query: '?q=x', on })).statusCode).toBe(200)
    expect((await on.app.inject('/health')).json()).toEqual({ status: 'ok' })
    await on.close()
  })

  it('for the worked example', async () => {
    expect((await sendChecked('POST', '/runs', {}, { body: theExample() })).statusCode).toBe(200)
    expect((await sendChecked('POST', '/runs', {}, { body: { ...theExample(), suite: 'other' } })).statusCode).toBe(409)
    await readEverythingOf(theExample())
    for (const path of ['/runs', '/projects', '/sets']) expect((await sendChecked('GET', path)).statusCode).toBe(200)
    expect((await sendChecked('GET', '/audit', {}, { query: '?limit=200' })).statusCode).toBe(200)
    expect((await sendChecked('GET', '/audit/{seq}', { seq: '2' })).statusCode).toBe(200)
    expect((await sendChecked('GET', '/audit/{seq}', { seq: '999999' })).statusCode).toBe(404)
    const suite = { project: 'support-desk', suite: 'refunds' }
    expect(
      (
        await sendChecked('PUT', '/projects/{project}/suites/{suite}/baseline', suite, {
          body: { run_id: theExample().run_id },
        })
      ).statusCode,
    ).toBe(200)
    await readEverythingOf(theExample())
    expect((await sendChecked('DELETE', '/projects/{project}/suites/{suite}/baseline', suite)).statusCode).toBe(204)
    expect((await sendChecked('DELETE', '/projects/{project}/suites/{suite}/baseline', suite)).statusCode).toBe(404)
  })

  it('for the settings of a suite', async () => {
    const suite = { project: 'kept', suite: 'set' }
    const path = '/projects/{project}/suites/{suite}/settings'
    await spec.ingest(aDocument({ run_id: 'of a set suite', ...suite }))
    const body = { owner: 'Team Walrus', snooze: { until_new_run: true, why: 'x' }, archive: {} }
    expect((await sendChecked('PATCH', path, suite, { body })).statusCode).toBe(200)
    await readSets(suite)
    expect((await sendChecked('GET', '/overview', {}, { query: '?archived=true' })).statusCode).toBe(200)
    expect((await sendChecked('PATCH', path, suite, { body: { snooze: {} } })).statusCode).toBe(422)
    const unknown = { ...suite, suite: 'unknown' }
    expect((await sendChecked('PATCH', path, unknown, { body })).statusCode).toBe(404)
    expect((await sendChecked('GET', path, unknown)).statusCode).toBe(404)
  })

  it('for the judges of a suite', async () => {
    const suite = { project: 'judged', suite: 'tone' }
    const path = '/projects/{project}/suites/{suite}/judges'
    const judged = (model: string) =>
      aCase({ asserts: [{ kind: 'llm-rubric', status: 'pass', score: 1, weight: 1, details: { judge: { model } } }] })
    for (const [n, model] of ['m-1', 'm-2'].entries())
      await spec.ingest(
        aDocument({ run_id: model, ...suite, finished_at: `2026-05-04T09:0${n + 1}:00Z`, cases: [judged(model)] }),
      )
    expect((await sendChecked('GET', path, suite)).json()).toMatchObject({ metrics: [{ judges: [{}, {}] }] })
    for (const read of ['/runs/{id}', '/runs/{id}/in-suite', '/runs/{id}/previous'])
      expect((await sendChecked('GET', read, { id: 'm-2' })).json()).toMatchObject({ judge_changed: [{}] })
    const declare = (body: object, of = suite) => sendChecked('POST', `${path}/declare`, of, { body })
    expect((await declare({ metric: 'sql', is_judge: true })).statusCode).toBe(200)
    expect((await declare({ metric: '', is_judge: true })).statusCode).toBe(422)
    const unknown = { ...suite, suite: 'unknown' }
    expect((await declare({ metric: 'sql', is_judge: true }, unknown)).statusCode).toBe(404)
    expect((await sendChecked('GET', path, unknown)).statusCode).toBe(404)
  })

  it('for what is added to a run', async () => {
    const id = 'annotated'
    await spec.ingest(aDocument({ run_id: id, origin: { note: 'walrus' } }))
    const change = (status: number, body: object) =>
      sendChecked('PATCH', '/runs/{id}/annotations', { id }, { body }).then(({ statusCode }) =>
        expect(statusCode).toBe(status),
      )
    await change(200, { title: 'Second try', note: null, add_tags: ['flaky'], remove_tags: [] })
    await change(409, { note: 'x', revision: null })
    await change(422, { note: '' })
    for (const path of ['/runs/{id}', '/runs/{id}/annotations', '/runs'])
      expect((await sendChecked('GET', path, { id })).statusCode).toBe(200)
    for (const path of ['/search', '/search/runs'])
      expect((await sendChecked('GET', path, {}, { query: '?q=flaky' })).json()).toMatchObject({ runs: [{ id }] })
    await change(200, { title: null, remove_tags: ['flaky'] })
    expect((await sendChecked('DELETE', '/runs/{id}', { id })).statusCode).toBe(204)
    expect((await sendChecked('GET', '/runs/{id}/annotations', { id })).statusCode).toBe(404)
  })

  it('for rubrics', async () => {
    const set = { project: 'kept', suite: 'reviewed' }
    const body = { ...set, ...RUBRIC_FIELDS }
    const created = await sendChecked('POST', '/rubrics', {}, { body })
    expect(created.statusCode).toBe(201)
    const { id } = created.json<{ id: string }>()
    expect((await sendChecked('POST', '/rubrics', {}, { body: { ...body, questions: [] } })).statusCode).toBe(422)
    const version = { ...RUBRIC_FIELDS, change: 'meaning', questions: EVERY_QUESTION }
    expect((await sendChecked('POST', '/rubrics/{id}/versions', { id }, { body: version })).statusCode).toBe(201)
    for (const query of ['', '?version=1'])
      expect((await sendChecked('GET', '/rubrics/{id}', { id }, { query })).statusCode).toBe(200)
    expect((await sendChecked('GET', '/rubrics', {}, { query: '?project=kept' })).statusCode).toBe(200)
    expect((await sendChecked('POST', '/rubrics/{id}/retire', { id })).statusCode).toBe(200)
    expect((await sendChecked('POST', '/rubrics/{id}/versions', { id }, { body: version })).statusCode).toBe(409)
    const absent = { id: 'absent' }
    expect((await sendChecked('GET', '/rubrics/{id}', absent)).statusCode).toBe(404)
    expect((await sendChecked('POST', '/rubrics/{id}/retire', absent)).statusCode).toBe(404)
    expect((await sendChecked('POST', '/rubrics/{id}/versions', absent, { body: version })).statusCode).toBe(404)
  })

  it('for review queues', async () => {
    const set = { project: 'kept', suite: 'queued' }
    for (const run_id of ['queued-1', 'queued-2'])
      expect((await spec.ingest(judgedRun(run_id, 3, 2, set))).statusCode).toBe(201)
    const rubric_id = await postRubric(spec.sendAs('write'), set)
    const [expert, second] = [await spec.addUser('expert', 'reviewer'), await spec.addUser('second', 'reviewer')]
    const body = {
      ...{ ...set, rubric_id, target: 'metric', metric: 'llm-rubric', per_item: 2, reviewers: ['expert', 'second'] },
      selection: { kind: 'random', runs: ['queued-1'], count: 3 },
    }
    const open = (more: object) => sendChecked('POST', '/review-queues', {}, { body: { ...body, ...more } })
    expect((await open({ dry_run: true })).statusCode).toBe(200)
    const opened = await open({})
    expect(opened.statusCode).toBe(201)
    expect((await open({ reviewers: ['ghost'] })).statusCode).toBe(422)
    expect((await open({ rubric_id: 'absent' })).statusCode).toBe(404)
    const { id } = opened.json<{ id: string }>()
    const people = (names: Readonly<Record<string, string>>, more: object) =>
      sendChecked('POST', '/review-queues/{id}/people', names, { body: more })
    expect((await people({ id }, { add: [{ name: 'expert', role: 'reviewer' }] })).statusCode).toBe(200)
    expect((await people({ id: 'absent' }, {})).statusCode).toBe(404)
    for (const path of ['/review-queues/{id}', '/review-queues/{id}/items']) {
      expect((await sendChecked('GET', path, { id })).statusCode).toBe(200)
      expect((await sendChecked('GET', path, { id: 'absent' })).statusCode).toBe(404)
    }
    expect((await sendChecked('GET', '/review-queues', {}, { query: '?state=open' })).statusCode).toBe(200)
    for (const [person, { send }] of [expert, second].entries())
      for (const n of [1, 2]) {
        const label = {
          ...{ label_id: `01J00000000000000000000${person}0${n}`, seconds: 2 },
          answers: { right: person + n > 2 ? 'fail' : 'pass' },
        }
        const path = `/api/v1/review/items/${id}.${n}`
        const labelled = await send('POST', `${path}/labels`, { headers: JSON_HEADERS, body: JSON.stringify(label) })
        expect(answers.problem('/api/v1/review/items/{item}/labels', 'POST', labelled)).toBeNull()
        expect(answers.problem('/api/v1/review/items/{item}', 'GET', await send('GET', path))).toBeNull()
      }
    expect(answers.problem('/api/v1/review/queues', 'GET', await expert.send('GET', '/review/queues'))).toBeNull()
    expect((await sendChecked('GET', '/review-queues/{id}/agreement', { id })).statusCode).toBe(409)
    expect((await sendChecked('POST', '/review-queues/{id}/close', { id })).statusCode).toBe(200)
    expect((await sendChecked('GET', '/review-queues/{id}/agreement', { id })).json()).toMatchObject({ items: 2 })
    expect((await people({ id }, { remove: ['expert'] })).statusCode).toBe(409)
    expect((await sendChecked('GET', '/review-queues/{id}/items', { id })).statusCode).toBe(200)
  })

  it('for evidence', async () => {
    const id = 'with evidence'
    const { case_key } = aCase()
    await spec.ingest(aDocument({ run_id: id, cases: [aCase()] }))
    const send = spec.sendAs('admin')
    const bytes = Buffer.from('what the judge said')
    const sha256 = digestOf(bytes)
    const part = { sha256 }
    expect((await sendChecked('GET', '/parts/{sha256}/upload', part)).statusCode).toBe(404)
    const missing = await sendChecked('POST', '/parts/missing', {}, { body: { sha256: [sha256] } })
    expect(missing.json()).toEqual({ missing: [sha256] })
    expect((await sendChecked('POST', '/parts/missing', {}, { body: { sha256: ['x'] } })).statusCode).toBe(422)
    for (const [wanted, answer] of [
      [200, await putPart(send, bytes)],
      [422, await putPart(send, Buffer.from('other'), sha256)],
      [415, await send('PUT', `/parts/${sha256}`, { headers: { ...octets, 'content-encoding': 'gzip' }, body: bytes })],
    ] as const) {
      expect(answer.statusCode).toBe(wanted)
      expect(answers.problem('/api/v1/parts/{sha256}', 'PUT', answer)).toBeNull()
    }
    const form = await postParts(send, [bytes])
    expect([form.statusCode, answers.problem('/api/v1/parts', 'POST', form)]).toEqual([200, null])
    expect((await sendChecked('GET', '/parts/{sha256}/upload', part)).statusCode).toBe(200)
    const manifest = await sendEvidence(send, [{ bytes, role: 'grading', case_key, name: 'judge.txt' }])
    const add = (body: object) => sendChecked('POST', '/runs/{id}/evidence', { id }, { body })
    expect((await add({ manifest })).statusCode).toBe(201)
    expect((await add({ manifest })).statusCode).toBe(200)
    expect((await add({ manifest: '0'.repeat(64) })).statusCode).toBe(422)
    expect((await sendChecked('GET', '/runs/{id}', { id })).json()).toMatchObject({ evidence: { parts: 1 } })
    expect((await sendChecked('GET', '/runs/{id}/evidence', { id })).statusCode).toBe(200)
    const ofCase = await sendChecked('GET', '/runs/{id}/cases/{case_key}/parts', { id, case_key })
    expect(ofCase.statusCode).toBe(200)
    const transcript = await sendEvidence(send, [{ bytes: TRANSCRIPT, role: 'transcript', case_key }])
    expect((await add({ manifest: transcript })).statusCode).toBe(201)
    const named = { id, sha256: digestOf(TRANSCRIPT) }
    for (const rest of ['', '/outline', '/events', '/find'])
      expect((await sendChecked('GET', `/runs/{id}/transcripts/{sha256}${rest}`, named)).statusCode).toBe(200)
    await putPart(send, bytes)
    expect((await sendChecked('DELETE', '/parts/{sha256}/upload', part)).statusCode).toBe(204)
    expect((await sendChecked('DELETE', '/parts/{sha256}/upload', part)).statusCode).toBe(404)
  })

  it('for comments', async () => {
    const id = 'commented'
    const { case_key } = aCase()
    await spec.ingest(aDocument({ run_id: id, cases: [aCase()] }))
    const add = (status: number, body: object) =>
      sendChecked('POST', '/runs/{id}/comments', { id }, { body }).then((answer) => {
        expect(answer.statusCode).toBe(status)
        return answer.json<{ id: string }>()
      })
    await add(201, { text: 'Look at the first case.', case_key: null })
    const { id: comment_id } = await add(201, { text: 'Wrong city.', case_key })
    await add(404, { text: 'x', case_key: 'nothing' })
    await add(422, { text: '' })
    for (const query of ['', '?limit=1', `?case=${case_key}`])
      expect((await sendChecked('GET', '/runs/{id}/comments', { id }, { query })).statusCode).toBe(200)
    const found = await sendChecked('GET', '/search/comments', {}, { query: '?q=wrong' })
    expect(found.json()).toMatchObject({ comments: [{ id: comment_id, run_id: id, case_key }] })
    const remove = () => sendChecked('DELETE', '/runs/{id}/comments/{comment_id}', { id, comment_id })
    const body = { run_id: id, reference: 'case-1' }
    const { id: hold } = (await sendChecked('POST', '/holds', {}, { body })).json<{ id: string }>()
    expect((await remove()).statusCode).toBe(409)
    await sendChecked('POST', '/holds/{id}/lift', { id: hold }, { body: { reference: 'case-1' } })
    expect((await remove()).statusCode).toBe(204)
    expect((await remove()).statusCode).toBe(404)
  })

  it('for the deletion of a held run', async () => {
    const run_id = 'held'
    await spec.ingest(aDocument({ run_id }))
    const body = { run_id, reference: 'case-1' }
    const placed = await sendChecked('POST', '/holds', {}, { body })
    expect(placed.statusCode).toBe(201)
    expect((await sendChecked('DELETE', '/runs/{id}', { id: run_id })).statusCode).toBe(409)
    expect((await sendChecked('DELETE', '/runs', {}, { query: `?run_id=${run_id}` })).statusCode).toBe(409)
    const { id } = placed.json<{ id: string }>()
    expect((await sendChecked('POST', '/holds/{id}/lift', { id }, { body: { reference: 'case-1' } })).statusCode).toBe(
      200,
    )
    expect((await sendChecked('DELETE', '/runs', {}, { query: `?run_id=${run_id}` })).statusCode).toBe(204)
  })

  it('for access lists', async () => {
    const { user_id } = await spec.addUser('granted')
    for (const [path, names] of [
      ['/sets/{project}', { project: 'kept' }],
      ['/sets/{project}/suites/{suite}', { project: 'kept', suite: 'close' }],
    ] as const) {
      expect((await sendChecked('PUT', `${path}/restriction`, names)).statusCode).toBe(204)
      expect(
        (await sendChecked('PUT', `${path}/grants/{user_id}`, { ...names, user_id }, { body: { level: 'upload' } }))
          .statusCode,
      ).toBe(204)
      expect((await sendChecked('GET', `${path}/access`, names)).json()).toMatchObject({
        restricted: true,
        grants: [{ username: 'granted', created_by: 'admin' }],
      })
      expect((await sendChecked('GET', `${path}/access`, names, { caller: 'write' })).statusCode).toBe(404)
      for (const status of [204, 404]) {
        expect((await sendChecked('DELETE', `${path}/grants/{user_id}`, { ...names, user_id })).statusCode).toBe(status)
        expect((await sendChecked('DELETE', `${path}/restriction`, names)).statusCode).toBe(status)
      }
    }
  })

  it('for the shared cache', async () => {
    const names = { key: cacheKeyOf('documented') }
    const put = (body: Buffer) => spec.sendAs('write')('PUT', `/cache/${names.key}`, { body })
    const allFields = {
      model: 'm',
      cost_usd: 0.5,
      request: { transport: 'exec', command: 'x' },
      tool_calls: [{ name: 'find', arguments: [] }],
      raw: [1],
      empty_reason: 'blank',
      usage: { input_tokens: 1, output_tokens: 2 },
    }
    for (const body of [aBody(allFields), aBody(), Buffer.from('opaque')]) {
      for (const status of [201, 200]) {
        const answer = await put(body)
        expect([answer.statusCode, answers.problem('/api/v1/cache/{key}', 'PUT', answer)]).toEqual([status, null])
      }
      for (const query of ['', '?raw=true'])
        expect((await sendChecked('GET', '/cache/entries/{key}', names, { query })).statusCode).toBe(200)
      for (const path of ['/cache/entries', '/cache/facets', '/cache/stats'])
        expect((await sendChecked('GET', path)).statusCode).toBe(200)
      for (const status of [204, 404])
        expect((await sendChecked('DELETE', '/cache/entries/{key}', names)).statusCode).toBe(status)
    }
    expect((await sendChecked('GET', '/cache/entries/{key}', names)).statusCode).toBe(404)
    expect((await sendChecked('GET', '/cache/entries/{key}', { key: 'none' })).statusCode).toBe(400)
    expect((await sendChecked('GET', '/cache/{key}', names)).statusCode).toBe(404)
    expect(
      (
        await sendChecked('GET', '/cache/entries/{key}/runs', {
          key: theExample().cases.flatMap((example) => example['cache_key'] ?? [])[0] as string,
        })
      ).json(),
    ).toMatchObject({ cases: [{ cached: true }] })
    expect((await sendChecked('POST', '/cache/prune', {}, { query: '?target_bytes=0' })).json()).toEqual({ pruned: 0 })
  })

  it('for a run with only the required fields', async () => {
    const minimal = {
      ...aDocument({ run_id: 'bare', cases: [] }),
      project: null,
      suite: null,
      summary: { total: 0, passed: 0, failed: 0, errored: 0, skipped: 0 },
    }
    expect((await sendChecked('POST', '/runs', {}, { body: minimal })).statusCode).toBe(201)
    await readEverythingOf(minimal)
  })

  it('for every real document', async () => {
    // The reads of a suite list all its runs, so each suite is read once, when it has all of them.
    const sets = new Map<string, Pick<ADocument, 'project' | 'suite'>>()
    for (const { name, bytes } of realDocuments()) {
      expect((await sendChecked('POST', '/runs', {}, { body: bytes.toString('utf8') })).statusCode, name).toBe(201)
      const run = JSON.parse(bytes.toString('utf8')) as ADocument
      await readRun(run)
      sets.set(JSON.stringify([run.project, run.suite]), run)
    }
    for (const set of sets.values()) await readSets(set)
    expect((await sendChecked('GET', '/runs', {}, { query: '?limit=200' })).statusCode).toBe(200)
    expect((await sendChecked('GET', '/sets')).statusCode).toBe(200)
    expect((await sendChecked('GET', '/projects')).statusCode).toBe(200)
  })

  it('for accounts and keys', async () => {
    const own = await openApp()
    const ask = clientOf(own)
    const expectDocumented = async (
      method: 'GET' | 'POST' | 'PATCH' | 'DELETE',
      path: string,
      status: number,
      { token = null, id = '', body }: { token?: string | null; id?: string; body?: object } = {},
    ) => {
      const answer = await ask(method, path.replace('{id}', id), { token, ...(body ? { body } : {}) })
      expect([answer.statusCode, answers.problem(`/api/v1${path}`, method, answer)], path).toEqual([status, null])
      return answer.body === '' ? NO_FIELDS : answer.json<typeof NO_FIELDS>()
    }
    const root = { username: 'root', password: PASSWORD }
    await expectDocumented('POST', '/auth/setup', 201, { body: root })
    await expectDocumented('POST', '/auth/setup', 409, { body: root })
    await expectDocumented('POST', '/auth/login', 401, { body: { ...root, password: '' } })
    const { token } = await expectDocumented('POST', '/auth/login', 200, { body: root })
    for (const credential of [token, 'read-secret', null])
      await expectDocumented('GET', '/auth/me', 200, { token: credential })
    const { id } = await expectDocumented('POST', '/users', 201, {
      token,
      body: { username: 'ada', password: PASSWORD, role: 'viewer' },
    })
    await expectDocumented('POST', '/users', 409, {
      token,
      body: { username: 'ada', password: PASSWORD, role: 'viewer' },
    })
    await expectDocumented('GET', '/users', 200, { token })
    const invited = { role: 'viewer', label: 'Eve', grants: [{ project: 'chat', level: 'view' }] }
    const { id: link, secret } = await expectDocumented('POST', '/links', 201, { token, body: invited })
    await expectDocumented('POST', '/links', 422, { token, body: { ...invited, role: 'owner' } })
    await expectDocumented('GET', '/links', 200, { token })
    await expectDocumented('POST', '/auth/invite', 200, { body: { secret } })
    await expectDocumented('POST', '/auth/invite/accept', 409, {
      body: { secret, username: 'ada', password: PASSWORD },
    })
    await expectDocumented('POST', '/auth/invite/accept', 201, {
      body: { secret, username: 'eve', password: PASSWORD },
    })
    await expectDocumented('POST', '/auth/invite', 404, { body: { secret } })
    await expectDocumented('DELETE', '/links/{id}', 404, { token, id: link })
    const reset = await expectDocumented('POST', '/users/{id}/reset-link', 201, { token, id })
    await expectDocumented('POST', '/auth/reset', 200, { body: { secret: reset.secret } })
    await expectDocumented('POST', '/auth/reset/password', 400, { body: { secret: reset.secret, password: '' } })
    await expectDocumented('POST', '/auth/reset/password', 204, { body: { secret: reset.secret, password: PASSWORD } })
    await expectDocumented('POST', '/auth/reset/password', 404, { body: { secret: reset.secret, password: PASSWORD } })
    const { id: unused } = await expectDocumented('POST', '/users/{id}/reset-link', 201, { token, id })
    await expectDocumented('DELETE', '/links/{id}', 204, { token, id: unused })
    await expectDocumented('PATCH', '/users/{id}', 200, { token, id, body: { disabled: true } })
    await expectDocumented('POST', '/users/{id}/reset-link', 409, { token, id })
    await expectDocumented('PATCH', '/users/{id}', 400, { token, id, body: { password: '' } })
    await expectDocumented('DELETE', '/users/{id}', 204, { token, id })
    await expectDocumented('DELETE', '/users/{id}', 404, { token, id })
    const ci = await expectDocumented('POST', '/users', 201, {
      token,
      body: { username: 'ci', role: 'member', service: true },
    })
    const limit = { project: 'chat', suite: 'smoke', expires_at: '2999-01-01T00:00:00Z' }
    await expectDocumented('POST', '/users/{id}/apikeys', 201, { token, id: ci.id, body: limit })
    await expectDocumented('POST', '/users/{id}/apikeys', 422, { token, id: ci.id, body: { suite: 'smoke' } })
    await expectDocumented('POST', '/users/{id}/apikeys', 404, { token, id: 'nothing', body: {} })
    await expectDocumented('PATCH', '/users/{id}', 409, { token, id: ci.id, body: { role: 'admin' } })
    const { id: key_id, key } = await expectDocumented('POST', '/apikeys', 201, { token, body: {} })
    await expectDocumented('GET', '/apikeys', 200, { token: key })
    await expectDocumented('DELETE', '/apikeys/{id}', 204, { token, id: key_id })
    await expectDocumented('GET', '/apikeys', 401, { token: key })
    await expectDocumented('POST', '/auth/logout', 200, { token })
    await expectDocumented('POST', '/auth/logout', 401, { token })
    await own.close()
  })

  it('for every kind of error', async () => {
    for (const [path, methods] of Object.entries(document.paths)) {
      const local = path.replace('/api/v1', '')
      for (const [method, { requestBody }] of Object.entries(methods).filter(([name]) => name !== 'head')) {
        const send = (options: Parameters<typeof sendChecked>[3]) =>
          sendChecked(method.toUpperCase() as 'GET', local, {}, options)
        const malformed = await send({ query: '?unknown=1', body: method === 'get' ? undefined : '{' })
        // A provider adds parameters of its own.
        expect(malformed.statusCode).toBe(/\/(?:callback|acs)$/.test(path) ? 404 : 400)
        for (const caller of [null, 'read', 'write'] as const)
          expect((await send({ caller })).statusCode).toBeLessThan(500)
        if (requestBody) {
          for (const body of [
            '{',
            '[]',
            '{}',
            '{"schema_version":3}',
            '{"schema_version":9}',
            '{"run_id":"x"}',
            '{"run_id":"x","more":1}',
            '"x"',
          ])
            expect([400, 403, 404, 422]).toContain((await send({ body })).statusCode)
        }
      }
    }
  })
})
