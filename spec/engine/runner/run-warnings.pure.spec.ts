import { describe, expect, it } from 'vitest'
import { runWarnings } from '../../../engine/runner/run-warnings.ts'
import { loaded, provider, suite } from '../../support/engine/suites.ts'
import { httpSpec } from '../../support/vendors/suites.ts'
import type { GraderSpec, Suite } from '../../../engine/suite/suite.ts'

const warnings = (members: Partial<Suite>, snapshot = {}, tests: Parameters<typeof runWarnings>[1] = [], env = {}) =>
  runWarnings({ ...loaded(members), snapshot }, tests, env)
const vendor = (request: object) => ({ model: 'm', params: {}, request: { query: {}, headers: {}, ...request } })

describe('runWarnings', () => {
  it('is empty for an ordinary suite', () =>
    expect(warnings({ providers: [provider('bot'), httpSpec({ url: 'http://a.test/{{ env_name }}' })] })).toEqual([]))

  it.each(['http', 's3'] as const)('names the deprecated cache.backend %s', (backend) =>
    expect(warnings({ cache: { ...suite().cache, backend } })).toEqual([
      `cache.backend: \`${backend}\` is deprecated; write \`layered\``,
    ]),
  )
  it('names cache.grader', () =>
    expect(warnings({}, { cache: { backend: 'disk', grader: true } })).toEqual([
      expect.stringContaining('cache.grader is deprecated'),
    ]))

  it.each([
    { url: 'http://a.test/{{ env.BOT }}' },
    { headers: { a: '{{ env.BOT }}' } },
    { body: ['{{ env["BOT"] }}'] },
  ])('names the variables in an http request: %j', (request) =>
    expect(warnings({ providers: [httpSpec({ id: 'bot', ...request })] })).toEqual([
      expect.stringMatching(/^provider `bot`: the values of BOT are sent, .* record \$\{env:BOT\}/),
    ]),
  )
  it.each([
    { path: '/{{ env.BOT }}' },
    { query: { a: '{{ env.BOT }}' } },
    { headers: { a: '{{ env.BOT }}' } },
    { body: '{{ env.BOT }}' },
  ])('names the variables in a request to a vendor: %j', (request) => {
    const spec = { id: 'bot', type: 'openai', fallback: [], fallback_only: false, ...vendor(request) } as const
    const grader: GraderSpec = {
      provider: { type: 'openai', ...vendor(request) },
      params: {},
      include_tool_calls: false,
      timeout_ms: 1,
    }
    expect(warnings({ providers: [spec], grader })).toEqual([
      expect.stringMatching(/^provider `bot`: /),
      expect.stringMatching(/^grader: /),
    ])
  })

  it('names the variables of graders of assertions, once for equal ones, and of SERVICE_PROVIDER_HEADERS', () => {
    const grader: GraderSpec = {
      provider: { type: 'openai', ...vendor({ headers: { a: '{{ env.BOT }}' } }) },
      params: {},
      include_tool_calls: false,
      timeout_ms: 1,
    }
    const tests = ['a', 'b'].map((id) => ({
      id,
      assert: [{ kind: 'llm-rubric' as const, weight: 1, negate: false, fields: {}, grader: { ...grader } }],
    }))
    expect(warnings({}, {}, tests, { SERVICE_PROVIDER_HEADERS: '{"x":"{{ env.ALL }}"}' })).toEqual([
      expect.stringMatching(/^SERVICE_PROVIDER_HEADERS: the values of ALL are sent/),
      expect.stringMatching(/^test a: assert\[0\]\.grader: the values of BOT are sent/),
    ])
  })
})
