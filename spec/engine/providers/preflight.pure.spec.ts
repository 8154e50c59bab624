import { describe, expect, it } from 'vitest'
import { preflight } from '../../../engine/providers/preflight.ts'
import { suiteSecrets } from '../../../engine/providers/suite-secrets.ts'
import type { AssertionSpec, GraderSpec, ProviderSpec, RequestSpec, Suite } from '../../../engine/suite/suite.ts'
import { anthropicSpec, embeddingsSpec, execSpec, httpSpec, openaiSpec, suiteOf } from '../../support/vendors/suites.ts'

const REQUEST: RequestSpec = { query: {}, headers: {} }

const grader = (more: Partial<GraderSpec> = {}): GraderSpec => ({
  provider: { type: 'openai', model: 'm', params: {}, request: REQUEST },
  params: {},
  include_tool_calls: false,
  timeout_ms: 120_000,
  ...more,
})
const assertion = (kind: AssertionSpec['kind'], more: Partial<AssertionSpec> = {}): AssertionSpec => ({
  kind,
  weight: 1,
  negate: false,
  fields: {},
  ...more,
})
type Selected = {
  readonly selected?: readonly string[]
  readonly asserts?: readonly AssertionSpec[]
  readonly env?: Readonly<Record<string, string>>
  readonly suite?: Partial<Suite>
}

const check = (
  providers: readonly ProviderSpec[],
  { selected = providers.map(({ id }) => id), asserts = [], env = {}, suite = {} }: Selected = {},
) =>
  preflight(suiteOf(providers, suite), { providerIds: new Set(selected), tests: [{ id: 't', assert: asserts }] }, env)

describe('preflight', () => {
  it('lists all variables that are not set', () => {
    const providers = [
      anthropicSpec({ id: 'a' }),
      openaiSpec({ id: 'b', api_key_env: ['X', 'Y'] }),
      openaiSpec({ id: 'c', api_key_env: ['Z'] }),
    ]
    expect(check(providers, { env: { Z: 'z', X: ' ' } }).errors).toEqual([
      'providers[0] (id: a): environment variable `ANTHROPIC_API_KEY` is not set (or is empty)',
      'providers[1] (id: b): none of the environment variables `X`, `Y` is set (or all are empty)',
    ])
  })

  it('needs none for programs, http, fallbacks, providers that are not selected, and auth none', () => {
    const providers = [
      execSpec(),
      httpSpec(),
      anthropicSpec({ id: 'f', fallback_only: true }),
      anthropicSpec({ id: 'n', request: { ...REQUEST, auth: 'none' } }),
      openaiSpec({ id: 'other' }),
      embeddingsSpec(),
    ]
    expect(check(providers, { selected: ['crm-bot', 'bot', 'f', 'n', 'vectors'] })).toEqual({
      errors: [],
      warnings: [],
    })
  })

  it('needs that of the suite grader only for a rubric without its own grader', () => {
    const suite = { grader: grader({ api_key_env: ['JUDGE'] }) }
    const own = assertion('llm-rubric', { grader: grader() })
    expect(check([], { suite, asserts: [assertion('contains'), own], env: { OPENAI_API_KEY: 'k' } }).errors).toEqual([])
    expect(check([], { suite, asserts: [assertion('llm-rubric'), own] }).errors).toEqual([
      'grader: environment variable `JUDGE` is not set (or is empty)',
      'test t: assert[1].grader: environment variable `OPENAI_API_KEY` is not set (or is empty)',
    ])
    const unsupported = grader({ provider: { type: 'exec', model: '', params: {}, request: REQUEST } })
    expect(check([], { suite: { grader: unsupported }, asserts: [assertion('llm-rubric')] }).errors).toEqual([])
  })

  it('needs that of the first embeddings provider for similar', () => {
    const providers = [embeddingsSpec(), embeddingsSpec({ id: 'v2', api_key_env: ['V2'] })]
    expect(check(providers, { selected: [], asserts: [assertion('similar')] }).errors).toEqual([
      'providers[0] (id: vectors): environment variable `OPENAI_API_KEY` is not set (or is empty)',
    ])
    expect(check(providers, { asserts: [assertion('contains')] }).errors).toEqual([])
  })

  it('refuses an OAuth token as the API key of the vendor, and warns about it elsewhere', () => {
    const env = { ANTHROPIC_API_KEY: 'sk-ant-oat01-canary' }
    const at = (base_url: string | undefined, auth?: 'bearer') =>
      check(
        [
          anthropicSpec({
            ...(base_url === undefined ? {} : { base_url }),
            request: { ...REQUEST, ...(auth && { auth }) },
          }),
        ],
        { env },
      )
    expect(at(undefined).errors).toEqual([expect.stringContaining('`ANTHROPIC_API_KEY` holds an OAuth token')])
    expect(at('https://api.anthropic.com/x').errors).toHaveLength(1)
    expect(at('https://gate.test')).toEqual({ errors: [], warnings: [expect.stringContaining('OAuth')] })
    expect(at(undefined, 'bearer')).toEqual({ errors: [], warnings: [] })
    expect(JSON.stringify([at(undefined), at('https://gate.test')])).not.toContain('canary')
  })

  it('warns where a declared header replaces the credential', () => {
    const request: RequestSpec = { ...REQUEST, headers: { Authorization: 'x' } }
    const warning = expect.stringContaining('header `authorization` replaces the credential') as string
    expect(check([openaiSpec({ request })])).toEqual({ errors: [], warnings: [warning] })
    expect(check([openaiSpec({ request: { ...request, auth: 'none' } })]).warnings).toEqual([])
    expect(check([openaiSpec()], { env: { SERVICE_PROVIDER_HEADERS: '{"authorization":"x"}' } }).warnings).toEqual([
      warning,
    ])
    expect(check([anthropicSpec({ request })], { env: { ANTHROPIC_API_KEY: 'k' } }).warnings).toEqual([])
  })
})

it('graders of assertions are checked once, at their first place', () => {
  const own = grader({ api_key_env: ['JUDGE'] })
  const tests = ['a', 'b'].map((id) => ({
    id,
    assert: [assertion('contains'), assertion('llm-rubric', { grader: { ...own } })],
  }))
  expect(preflight(suiteOf([]), { providerIds: new Set(), tests }, {}).errors).toEqual([
    'test a: assert[1].grader: environment variable `JUDGE` is not set (or is empty)',
  ])
})

describe('suiteSecrets', () => {
  it('names every variable that a run uses as a secret', () => {
    const names = ['ANTHROPIC_API_KEY', 'A_KEY', 'B_KEY', 'C', 'D', 'E_KEY', 'F', 'G_KEY', 'H', 'SERVICE_TOKEN', 'HOME']
    const env = {
      ...Object.fromEntries(names.map((name) => [name, `value of ${name}`])),
      SERVICE_PROVIDER_HEADERS: '{"x":"{{ env[\'E_KEY\'] }}"}',
      OPENAI_API_KEY: '',
    }
    const suite = suiteOf(
      [
        anthropicSpec({ request: { ...REQUEST, headers: { x: '{{ env.A_KEY }}' } } }),
        httpSpec({ body: { x: ['{{ env["B_KEY"] }}'] } }),
        execSpec({ pass_env: ['C'] }),
      ],
      {
        grader: grader({ api_key_env: ['D'] }),
        tests: [{ kind: 'generator', command: ['x'], config: {}, pass_env: ['F'], timeout_ms: 1 }],
      },
    )
    const own = grader({ provider: { ...grader().provider, request: { ...REQUEST, query: { a: '{{env.G_KEY}}' } } } })
    const tests = [{ assert: [assertion('llm-rubric', { grader: own })] }]
    const found = suiteSecrets(suite, tests, env)
    expect(found.map(([name]) => name).sort()).toEqual([
      'ANTHROPIC_API_KEY',
      'A_KEY',
      'B_KEY',
      'C',
      'D',
      'E_KEY',
      'F',
      'G_KEY',
      'SERVICE_TOKEN',
    ])
  })

  it('has every header of a credential that is written in full, also two of one name', () => {
    const written = (value: string): RequestSpec => ({
      ...REQUEST,
      headers: { authorization: value, 'x-region': 'eu' },
    })
    const env = { SERVICE_PROVIDER_HEADERS: '{"x-api-key":"one","x-tenant":"t"}' }
    const providers = [openaiSpec({ request: written('two') }), httpSpec({ headers: { authorization: 'three' } })]
    const judge = grader({ provider: { ...grader().provider, request: written('four') } })
    const tests = [{ assert: [assertion('llm-rubric', { grader: judge })] }]
    expect(suiteSecrets(suiteOf(providers), tests, env)).toEqual([
      ['header x-api-key', 'one'],
      ['header authorization', 'two'],
      ['header authorization', 'three'],
      ['header authorization', 'four'],
    ])
  })
})
