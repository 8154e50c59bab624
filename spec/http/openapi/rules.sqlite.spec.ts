import { describe, expect, it } from 'vitest'
import { RULES } from '../../support/access/access-rules.ts'
import type { ApiDocument } from '../../support/http/documented-answers.ts'
import { jsonText, servedDocument } from '../../support/openapi/served.ts'

// What a route must say about itself. A failure names the routes that do not.

type Parameter = {
  readonly in: string
  readonly name: string
  readonly description?: string
  readonly schema: Readonly<Record<string, unknown>>
}
type Route = ApiDocument['paths'][string][string] & { readonly route: string }

const parametersOf = ({ parameters = [] }: Route): readonly Parameter[] => parameters as readonly Parameter[]
/** The routes that break a rule. */
const without = (holds: (route: Route) => boolean): string[] =>
  routes.filter((route) => !holds(route)).map(({ route }) => route)

/** A route of the app, as the document names it. */
const documented = (route: string): string => route.replaceAll(/:(\w+)/g, '{$1}').replace(/\*$/, '{rest}')

/** The first word of an operation's name. */
const VERBS =
  /^(?:attach|get|list|find|search|compare|export|stream|upload|import|delete|remove|create|change|put|pin|unpin|place|lift|restrict|grant|revoke|register|reveal|open|close|take|label|adjudicate|decline|withdraw|retire|apply|prune|preview|erase|sign|end|start|finish|call|test|rotate)(?=[A-Z]|$)/
const document = await servedDocument()
const routes = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ ...operation, route: `${method.toUpperCase()} ${path}` })),
)

describe('each route in the OpenAPI document', () => {
  it('has an operationId of a verb and a noun, in camel case', () => {
    expect(
      without(({ operationId = '' }) => VERBS.test(operationId) && /^[a-z][A-Za-z0-9]+$/.test(operationId)),
    ).toEqual([])
  })

  it('has an operationId of its own', () => {
    const ids = routes.map(({ operationId }) => operationId)
    expect(without(({ operationId }) => ids.filter((id) => id === operationId).length === 1)).toEqual([])
  })

  it('has a summary of one line, without a full stop', () =>
    expect(without(({ summary = '' }) => /^[A-Z].{4,118}[^.]$/.test(summary))).toEqual([]))

  it('has one tag, which the document describes', () => {
    const described = (document.tags ?? []).filter(({ description = '' }) => description !== '').map(({ name }) => name)
    expect(without(({ tags = [] }) => tags.length === 1 && described.includes(tags[0] ?? ''))).toEqual([])
  })

  it('says the scope that the gate requires', () => {
    const required = Object.fromEntries(Object.entries(RULES).map(([rule, { scope }]) => [documented(rule), scope]))
    expect(without((route) => (required[route.route] ?? 'any').replace('any', 'none') === route['x-scope'])).toEqual([])
  })

  it('says which scope it needs, and that it needs no credential if it needs no scope', () => {
    expect(without((route) => ['none', 'review', 'read', 'write', 'admin'].includes(route['x-scope'] ?? ''))).toEqual(
      [],
    )
    const open = routes.filter(({ security }) => security?.length === 0).map(({ route }) => route)
    expect(without((route) => route['x-scope'] !== 'none').sort()).toEqual(
      [...open, 'POST /api/v1/auth/logout', 'POST /api/v1/auth/password'].sort(),
    )
  })

  it('describes every parameter', () => {
    const undescribed = routes.flatMap((route) =>
      parametersOf(route)
        .filter(({ description = '' }) => description === '')
        .map(({ name }) => `${route.route} ${name}`),
    )
    expect(undescribed).toEqual([])
  })

  it('says the default and the maximum of every limit', () => {
    const limits = routes.flatMap((route) =>
      parametersOf(route)
        .filter(({ name }) => name === 'limit')
        .map(({ schema }) => [route.route, schema['default'], schema['x-maximum']]),
    )
    expect(limits.length).toBeGreaterThan(20)
    expect(limits.filter(([, fallback, max]) => !(Number(fallback) >= 1 && Number(max) >= Number(fallback)))).toEqual(
      [],
    )
  })

  it('says what each status means', () => {
    expect(
      without(({ responses }) =>
        Object.values(responses).every(
          ({ description = '' }) => /^[A-Z].{4}/.test(description) && description !== 'Default Response',
        ),
      ),
    ).toEqual([])
  })

  it('has an error for a bad request and for all others, and for a refused credential where it needs one', () => {
    expect(without(({ responses }) => '400' in responses && 'default' in responses)).toEqual([])
    expect(
      without((route) => route['x-scope'] === 'none' || ('401' in route.responses && '403' in route.responses)),
    ).toEqual([])
  })
})

// spec/http/routes/access/matrix.sqlite.spec.ts sends every request of these rules, and validates each answer.
it('each operation is called, with a success and with refusals, and its answers are validated', () => {
  const called = Object.keys(RULES).map(documented)
  expect(without(({ route }) => called.includes(route))).toEqual([])
})

describe('the OpenAPI document', () => {
  it('says its licence and its server', () => {
    expect(document.info.license).toMatchObject({ name: 'Apache-2.0' })
    expect(document.servers).toHaveLength(1)
  })

  it('has one schema for each shape, and no schema that is used nowhere', () => {
    const { schemas } = document.components
    const text = JSON.stringify(document)
    const names = Object.keys(schemas)
    expect(names.filter((name) => !text.includes(`"#/components/schemas/${name}"`))).toEqual([])
    expect(names.filter((name) => names.includes(`${name}Input`))).toEqual([])
    const shapes = Map.groupBy(names, (name) => JSON.stringify(schemas[name]))
    expect([...shapes.values()].filter((same) => same.length > 1)).toEqual([])
    expect(text).not.toContain('"x-default"')
  })

  // To write the file again: npx vitest run -u --project sqlite spec/http/openapi
  it('is in the repository as it is served', () =>
    expect(jsonText(document)).toMatchFileSnapshot('../../../clients/openapi.json'))
})
