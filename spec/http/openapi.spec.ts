import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { answersOf } from '../support/answers.ts'
import type { ApiDocument } from '../support/answers.ts'
import { openApp } from '../support/app.ts'
import type { Caller, SpecApp } from '../support/app.ts'
import { aDocument, realDocuments, theExample } from '../support/documents.ts'
import type { ADocument } from '../support/documents.ts'
import { filled, routesOf } from '../support/routes.ts'

/** Served, yet no part of the API. */
const HIDDEN = ['/metrics']

let spec: SpecApp
let document: ApiDocument
let answers: ReturnType<typeof answersOf>
beforeAll(async () => {
  spec = await openApp()
  document = (await spec.as(null)('GET', '/openapi.json')).json<ApiDocument>()
  answers = answersOf(document)
})
afterAll(() => spec.close())

const template = (url: string): string => url.replace(/:(\w+)/g, '{$1}')

describe('the OpenAPI document', () => {
  it('is OpenAPI 3.1 of this version', () => {
    expect(document.openapi).toMatch(/^3\.1\.\d+$/)
    expect(document.info).toMatchObject({ title: 'Evaluation Results Service', version: '1.2.3' })
    expect(document.components.securitySchemes).toHaveProperty('bearer')
  })

  it('documents every route of the app but the hidden ones, and no other', () => {
    const routes = routesOf(spec.app)
      .filter(({ method, url }) => method !== 'HEAD' && !HIDDEN.includes(url))
      .map(({ method, url }) => `${method} ${template(url)}`)
    const documented = Object.entries(document.paths).flatMap(([path, methods]) => Object.keys(methods).filter((method) => method !== 'head').map((method) => `${method.toUpperCase()} ${path}`))
    expect(documented.sort()).toEqual(routes.sort())
  })

  it('names every parameter of a path, and a tag for each operation', () => {
    for (const [path, methods] of Object.entries(document.paths)) {
      const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name).sort()
      for (const { parameters = [], tags } of Object.values(methods)) {
        const given = (parameters as Array<{ in: string; name: string; required: boolean }>).filter((parameter) => parameter.in === 'path')
        expect(given.map(({ name }) => name).sort(), path).toEqual(names)
        expect(given.every(({ required }) => required)).toBe(true)
        expect(tags, path).toHaveLength(1)
      }
    }
  })

  it('has only schemas that compile', () => {
    for (const name of Object.keys(document.components.schemas)) expect(answers.compile(answers.pointer('components', 'schemas', name))).toBeTypeOf('function')
    for (const [path, methods] of Object.entries(document.paths)) {
      for (const [method, { responses, parameters = [] }] of Object.entries(methods)) {
        expect(Object.keys(responses).length, path).toBeGreaterThan(0)
        for (const [status, { content = {} }] of Object.entries(responses)) {
          for (const type of Object.keys(content)) answers.compile(answers.pointer('paths', path, method, 'responses', status, 'content', type, 'schema'))
        }
        for (const n of parameters.keys()) answers.compile(answers.pointer('paths', path, method, 'parameters', String(n), 'schema'))
      }
    }
  })

  it('closes every object that an answer is made of, so that an undeclared key does not pass', () => {
    const open: string[] = []
    const visit = (schema: unknown, where: string): void => {
      if (typeof schema !== 'object' || schema === null) return
      if ('type' in schema && schema.type === 'object' && 'properties' in schema && !('additionalProperties' in schema && schema.additionalProperties === false)) open.push(where)
      for (const [key, value] of Object.entries(schema)) visit(value, `${where}/${key}`)
    }
    for (const [name, schema] of Object.entries(document.components.schemas)) if (!name.endsWith('Input') && name !== 'RunDocument') visit(schema, name)
    // A case is answered as it was normalized: the document's own shape.
    expect(open).toEqual(['Case'])
  })
})

/** Sends a request as its route and checks the answer against the document. */
const checked = async (method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, names: Readonly<Record<string, string>> = {}, { query = '', caller = 'admin', body }: { query?: string; caller?: Caller; body?: unknown } = {}) => {
  const full = path === '/health' ? path : `/api/v1${path}`
  const answer = await spec.as(caller)(method, `${filled(full, names)}${query}`, body === undefined ? {} : { headers: { 'content-type': 'application/json' }, body: typeof body === 'string' ? body : JSON.stringify(body) })
  expect(answers.problem(full, method, answer)).toBeNull()
  if (answer.body !== '') expect(answer.headers['content-type']).toBe('application/json')
  return answer
}

const everyReadOf = async (run: ADocument): Promise<void> => {
  const id = run.run_id
  const { project, suite } = { project: run.project ?? '', suite: run.suite ?? '' }
  for (const part of ['', '/export', '/config', '/cases', '/matrix']) expect((await checked('GET', `/runs/{id}${part}`, { id })).statusCode).toBe(200)
  expect((await checked('GET', '/runs/{id}/cases', { id }, { query: '?limit=3&cached=false' })).statusCode).toBe(200)
  expect((await checked('GET', '/runs/{id}/matrix', { id }, { query: '?limit=1' })).statusCode).toBe(200)
  expect((await checked('GET', '/runs/{id}/compare/{other}', { id, other: theExample().run_id })).statusCode).toBe(200)
  const word = /[a-z]{4,}/i.exec(String(run.cases[0]?.['name']))?.[0] ?? 'the'
  expect((await checked('GET', '/search', {}, { query: `?q=${word}&limit=5` })).statusCode).toBe(200)
  for (const { case_key } of run.cases.slice(0, 5)) {
    expect((await checked('GET', '/runs/{id}/cases/{case_key}', { id, case_key })).statusCode).toBe(200)
    if (project !== '' && suite !== '') expect((await checked('GET', '/projects/{project}/suites/{suite}/cases/{case_key}/history', { project, suite, case_key })).statusCode).toBe(200)
  }
  if (project !== '') expect((await checked('GET', '/sets/{project}', { project })).statusCode).toBe(200)
  if (project !== '') expect((await checked('GET', '/projects/{project}/suites', { project })).statusCode).toBe(200)
  if (project !== '' && suite !== '') expect((await checked('GET', '/sets/{project}/suites/{suite}', { project, suite })).statusCode).toBe(200)
}

describe('every answer is as documented', () => {
  it('for an empty service', async () => {
    for (const path of ['/health', '/ready', '/meta', '/openapi.json', '/runs', '/projects', '/sets']) expect((await checked('GET', path)).statusCode).toBe(200)
    expect((await checked('GET', '/search', {}, { query: '?q=x' })).statusCode).toBe(200)
    expect((await spec.app.inject('/health')).json()).toEqual({ status: 'ok' })
  })

  it('for the worked example', async () => {
    expect((await checked('POST', '/runs', {}, { body: theExample() })).statusCode).toBe(201)
    expect((await checked('POST', '/runs', {}, { body: theExample() })).statusCode).toBe(200)
    expect((await checked('POST', '/runs', {}, { body: { ...theExample(), suite: 'other' } })).statusCode).toBe(409)
    await everyReadOf(theExample())
    for (const path of ['/runs', '/projects', '/sets']) expect((await checked('GET', path)).statusCode).toBe(200)
    const suite = { project: 'support-desk', suite: 'refunds' }
    expect((await checked('PUT', '/projects/{project}/suites/{suite}/baseline', suite, { body: { run_id: theExample().run_id } })).statusCode).toBe(200)
    await everyReadOf(theExample())
    expect((await checked('DELETE', '/projects/{project}/suites/{suite}/baseline', suite)).statusCode).toBe(204)
    expect((await checked('DELETE', '/projects/{project}/suites/{suite}/baseline', suite)).statusCode).toBe(404)
  })

  it('for a run of nothing but what is required', async () => {
    const bare = { ...aDocument({ run_id: 'bare', cases: [] }), project: null, suite: null, summary: { total: 0, passed: 0, failed: 0, errored: 0, skipped: 0 } }
    expect((await checked('POST', '/runs', {}, { body: bare })).statusCode).toBe(201)
    await everyReadOf(bare)
  })

  it('for every real document', async () => {
    for (const { name, bytes } of realDocuments()) {
      expect((await checked('POST', '/runs', {}, { body: bytes.toString('utf8') })).statusCode, name).toBe(201)
      await everyReadOf(JSON.parse(bytes.toString('utf8')) as ADocument)
    }
    expect((await checked('GET', '/runs', {}, { query: '?limit=200' })).statusCode).toBe(200)
    expect((await checked('GET', '/sets')).statusCode).toBe(200)
    expect((await checked('GET', '/projects')).statusCode).toBe(200)
  })

  it('for every refusal', async () => {
    for (const [path, methods] of Object.entries(document.paths)) {
      const local = path.replace('/api/v1', '')
      for (const method of Object.keys(methods).filter((each) => each !== 'head')) {
        const send = (options: Parameters<typeof checked>[3]) => checked(method.toUpperCase() as 'GET', local, {}, options)
        expect((await send({ query: '?unknown=1', body: method === 'get' ? undefined : '{' })).statusCode).toBe(400)
        for (const caller of [null, 'read', 'write'] as const) expect((await send({ caller })).statusCode).toBeLessThan(500)
        if (method === 'put' || method === 'post') {
          for (const body of ['{', '[]', '{}', '{"schema_version":3}', '{"schema_version":9}', '{"run_id":"x"}', '{"run_id":"x","more":1}', '"x"']) expect([400, 404, 422]).toContain((await send({ body })).statusCode)
        }
      }
    }
  })
})
