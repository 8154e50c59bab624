import { afterAll, expect, it } from 'vitest'
import { Ajv2020 } from 'ajv/dist/2020.js'
import type { ApiDocument } from '../../support/http/documented-answers.ts'
import { openApp } from '../../support/servers/app.ts'
import { cacheKeyOf } from '../../support/documents/cache-bodies.ts'
import { theExample } from '../../support/documents/documents.ts'
import { fillPath } from '../../support/http/routes.ts'

// The service accepts exactly the parameters and fields that the OpenAPI document allows.

type Parameter = { readonly in: 'path' | 'query'; readonly name: string; readonly schema: { readonly type?: string } }
type Body = { readonly content: { readonly 'application/json': { readonly schema: object } } }

/** Whether a text is an instant whose day exists in its month. The service also accepts a lower-case `t` and `z`. */
const isDateTime = (text: string): boolean => {
  const [, date = '', day = ''] =
    /^(\d{4}-\d\d-(\d\d))T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d+)?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/.exec(text) ??
    []
  return new Date(`${date}T00:00:00Z`).getUTCDate() === Number(day)
}

const ajv = new Ajv2020({ strict: false })
ajv.addFormat('date-time', isDateTime)

const TEXTS = [
  '',
  'x',
  '.',
  '..',
  'a b',
  'ä',
  '🎉',
  '\0',
  'a\0b',
  'a'.repeat(400),
  'a'.repeat(401),
  'a'.repeat(2000),
  'a'.repeat(2001),
  '🎉'.repeat(100),
  '🎉'.repeat(2000),
  '0',
  '1',
  '-1',
  '200',
  '201',
  '501',
  '99999999999999999999',
  '1.5',
  '-5.332041032543391e+16',
  '4.1e-288',
  '1e999',
  '1e',
  '0x10',
  'NaN',
  '1777885242250',
  '12345678901234567',
  '2026-01-31T12:00:00Z',
  '2026-01-31T12:00:00.123456+02:00',
  '2026-02-30T00:00:00Z',
  '2026-13-01T00:00:00Z',
  '2026-01-31',
  '2026-01-31T12:00:00',
  'true',
  'pass',
  'ci',
  'only',
  'local',
  'created',
  'asc',
  'RunIngested',
  cacheKeyOf('none'),
  cacheKeyOf('none').toUpperCase(),
  `${cacheKeyOf('none')}0`,
]
afterAll(() => spec.close())

const NUMBERS: Readonly<Record<string, RegExp>> = { integer: /^-?\d+$/, number: /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/ }

/** A text as its schema sees it: a number or a truth value where the schema asks for these. */
const asSchemaValue = ({ schema: { type = '' } }: Parameter, text: string): unknown => {
  if (type === 'boolean' && (text === 'true' || text === 'false')) return text === 'true'
  return NUMBERS[type]?.test(text) && Number.isFinite(Number(text)) ? Number(text) : text
}

/** Values for the other parameters of a GET. */
const namesFor = {
  id: theExample().run_id,
  other: theExample().run_id,
  key: cacheKeyOf('none'),
  project: 'support-desk',
  suite: 'smoke',
  case_key: theExample().cases[0]?.case_key ?? '',
  seq: '1',
  format: 'csv',
  rest: '000.p/1',
  item: 'none.1',
}

/** A schema cannot say how a value depends on that of another parameter, or on what is stored. */
const NAMES_ANOTHER = [
  '/compare base',
  '/compare/outputs against',
  '/log/consistency from',
  '/log/consistency to',
  '/rubrics/{id} version',
  '/runs/{id}/leaderboard base',
  ...['metric', 'target'].flatMap((name) => [
    `/runs/{id}/calibration ${name}`,
    `/runs/{id}/compare/{other}/calibration ${name}`,
  ]),
  '/runs/{id}/statistics column',
  '/runs/{id}/share.html compare',
  '/runs/{id}/share.html case',
  ...['statistics', 'cases', 'groups'].flatMap((list) =>
    ['base_column', 'head_column'].map((name) => `/runs/{id}/compare/{other}/${list} ${name}`),
  ),
].map((name) => `/api/v1${name}`)

const parametersOfReads = (): ReadonlyArray<Parameter & { readonly path: string; readonly required: string }> =>
  Object.entries(document.paths).flatMap(([path, { get }]) => {
    const all = (get?.parameters ?? []) as readonly (Parameter & { readonly required?: boolean })[]
    return all.map((parameter) => ({
      ...parameter,
      path,
      required: all
        .filter((other) => other.in === 'query' && other.required && other.name !== parameter.name)
        .map(({ name }) => `${name}=${name === 'runs' ? 'x,y' : 'x'}`)
        .join('&'),
    }))
  })
const spec = await openApp()
expect((await spec.ingest(theExample())).statusCode).toBe(201)
const document = (await spec.sendAs(null)('GET', '/openapi.json')).json<ApiDocument>()
// A static token has no items to review.
const reviewer = await spec.addUser('reviewer', 'reviewer')
const sendTo = (path: string) => (path.startsWith('/api/v1/review/') ? reviewer.send : spec.sendAs('admin'))

it('a text is rejected as a parameter exactly where the document says so', async () => {
  const checkedKinds = new Set<string>()
  for (const parameter of parametersOfReads()) {
    const { path, name, schema, required } = parameter
    const fits = ajv.compile(schema)
    const kind = `${parameter.in} ${name} ${JSON.stringify(schema)}`
    // Equal query parameters share one parser.
    if (parameter.in === 'query' && checkedKinds.has(kind)) continue
    checkedKinds.add(kind)
    // Refused with 400, because it is no valid address of c2sp.org/tlog-tiles.
    if (name === 'rest') continue
    for (const text of TEXTS) {
      // Clients resolve dots before they send, and an empty part makes another path.
      if (parameter.in === 'path' && ['', '.', '..'].includes(text)) continue
      const names = parameter.in === 'path' ? { ...namesFor, [name]: text } : namesFor
      const query =
        parameter.in === 'query'
          ? `?${required === '' ? '' : `${required}&`}${name}=${encodeURIComponent(text)}`
          : required === ''
            ? ''
            : `?${required}`
      const { statusCode } = await sendTo(path)('GET', `${fillPath(path, names)}${query}`)
      const context = `${path} ${kind} of ${JSON.stringify(text.slice(0, 60))} (${text.length}): ${statusCode}`
      expect(statusCode, context).toBeLessThan(500)
      // Valid names that do not exist return 404.
      if (parameter.in === 'path' && fits(asSchemaValue(parameter, text))) expect(statusCode, context).not.toBe(400)
      else if (parameter.in === 'path') expect([400, 404], context).toContain(statusCode)
      else if (NAMES_ANOTHER.includes(`${path} ${name}`)) expect([400, 404], context).toContain(statusCode)
      else expect(statusCode === 400, context).toBe(!fits(asSchemaValue(parameter, text)))
    }
  }
  expect(checkedKinds.size).toBeGreaterThan(40)
})

it('limits are integers of any size, because they are clamped', async () => {
  for (const parameter of parametersOfReads().filter(({ name }) => name === 'limit')) {
    expect(parameter.schema).not.toHaveProperty('minimum')
    expect(parameter.schema).not.toHaveProperty('maximum')
    expect(parameter.schema).toMatchObject({ type: 'integer' })
  }
})

it('a field of a small body is rejected exactly where the document says so', async () => {
  const password = 'correct horse'
  const bodies = (text: string) =>
    [
      { method: 'POST', path: '/users', body: { username: text, password, role: 'viewer' } },
      {
        method: 'POST',
        path: '/users',
        body: { username: `${text.slice(0, 60)}-${Math.random()}`, password: text, role: 'viewer' },
      },
      { method: 'PATCH', path: '/users/{id}', body: { password: text } },
      { method: 'PUT', path: '/projects/{project}/suites/{suite}/baseline', body: { run_id: text } },
    ] as const
  for (const text of TEXTS.filter((candidate) => !['.', '..'].includes(candidate))) {
    for (const { method, path, body } of bodies(text)) {
      const full = `/api/v1${path}`
      const { requestBody } = document.paths[full]?.[method.toLowerCase()] ?? {}
      const fits = ajv.compile((requestBody as Body).content['application/json'].schema)(body)
      const { statusCode } = await spec.sendAs('admin')(method, fillPath(full, { project: 'p', suite: 's' }), {
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
      const context = `${method} ${path} ${JSON.stringify(body).slice(0, 90)}: ${statusCode}`
      expect([200, 201, 400, 404, 409, 422], context).toContain(statusCode)
      // A valid name that does not exist returns 404.
      if (fits) expect([200, 201, 404, 409], context).toContain(statusCode)
      else expect([400, 404, 422], context).toContain(statusCode)
    }
  }
})

it('every cache key parameter has its pattern in the document', () => {
  const keys = Object.entries(document.paths)
    .filter(([path]) => path.includes('/cache/'))
    .flatMap(([, methods]) => Object.values(methods))
    .flatMap(({ parameters = [] }) => parameters as readonly Parameter[])
    .filter(({ name }) => name === 'key')
  expect(keys.length).toBeGreaterThan(4)
  for (const { schema } of keys) expect(schema).toMatchObject({ type: 'string', pattern: '^sha256:[0-9a-f]{64}$' })
})
