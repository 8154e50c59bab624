import { describe, expect, it } from 'vitest'
import { formatIssue } from '../../../engine/suite/issues.ts'
import { errorsOf, expand, issuesOf, load, MINIMAL } from '../../support/suites/suite-folder.ts'

const VERSION = 'version: 1\n'

it.each([
  [
    'a command line',
    `${VERSION}providers: [{id: a, type: exec, command: node x.mjs}]`,
    'providers[0].command: expected a list, got the string "node x.mjs"; give the program and its arguments as a list, as in `[node, x.mjs]`',
  ],
  [
    'a command line with quotes',
    `${MINIMAL}tests: [{assert: [{type: exec, command: node -e "f()"}]}]`,
    'as in `[node, program.mjs]`',
  ],
  [
    'a model in the type',
    `${VERSION}providers: [{id: a, type: openai:chat:gpt-4}]`,
    '`embeddings`; write `type: openai` and `model: gpt-4`',
  ],
  [
    'a parameter of the model',
    `${VERSION}providers: [{id: a, type: openai, model: m, temperature: 0.5}]`,
    'providers[0].temperature: unknown key `temperature` in a provider of type `openai`: parameters of the model are written under `params`, as in `params: {temperature: 0.5}`',
  ],
  [
    'a parameter of a judge',
    `${MINIMAL}grader: {provider: {type: anthropic, model: m, max_tokens: 5}}`,
    'written under `params`, as in `params: {max_tokens: 5}`',
  ],
  [
    'an unknown role',
    `${MINIMAL}prompts: [{id: p, messages: [{role: usr, content: a}]}]`,
    'prompts[0].messages[0].role: unknown role `usr`; accepted: `system`, `user`, `assistant`, `tool`; did you mean `user`?',
  ],
  [
    'a role that is no text',
    `${MINIMAL}prompts: [{id: p, messages: [{role: 1, content: a}]}]`,
    'prompts[0].messages[0].role: expected one of the accepted texts, got 1; accepted: `system`',
  ],
  [
    'a schema as the value of is-json',
    `${MINIMAL}tests: [{assert: [{type: not-is-json, value: {type: object}}]}]`,
    'a schema is checked with `type: not-contains-json` and `schema`',
  ],
  [
    'a schema as the value of contains-json',
    `${MINIMAL}tests: [{assert: [{type: contains-json, value: {type: object}}]}]`,
    'the schema is written under `schema`',
  ],
  [
    'a misspelled type',
    `${MINIMAL}tests: [{assert: [{tpye: contains, value: x}]}]`,
    'tests[0].assert[0].tpye: unknown key `tpye` in an assertion; did you mean `type`?',
  ],
  ['a type as key', `${MINIMAL}tests: [{assert: [contains: x]}]`, 'write `{type: contains, value: x}`'],
  ['a type as key of a default', `${MINIMAL}defaults: {assert: [is-json: ]}`, 'write `{type: is-json}`'],
  [
    'a type with another field',
    `${MINIMAL}tests: [{assert: [icontains-any: [a, b]]}]`,
    '{type: icontains-any, values: …}',
  ],
])('a refused suite says what to write instead of %s', async (_, text, hint) =>
  expect((await errorsOf(load(text))).join('\n')).toContain(hint),
)

it('a key of a vendor is shown in no message, and its variable is asked for', async () => {
  const issues = await issuesOf(
    load(
      `version: 1
providers:
  - {id: o, type: openai, model: m, api_key: sk-123, x: 1}
grader: {api_key: sk-456, provider: {type: openai, model: m, apiKey: sk-789}}
defaults:
  assert:
    - {type: llm-rubric, value: r, grader: {provider: {type: openai, model: m}, api-key: sk-012}}
tests: [{assert: [{type: llm-rubric, value: r, grader: {api_key: 'sk-345', provider: {type: openai, model: m, apiKey: 12345678901234}}}]}]
`,
    ),
  )
  const text = issues.map(formatIssue).join('\n')
  expect(text).not.toMatch(/sk-\d|12345678901234/)
  expect(text).toContain('- {id: o, type: openai, model: m, api_key: ******, x: 1}')
  expect(issues.map(({ path, message }) => `${path}: ${message}`)).toEqual([
    'providers[0].api_key: unknown key `api_key`: a suite holds no keys; `api_key_env` names the environment variable with the key',
    expect.stringMatching(/^providers\[0\]\.x: unknown key `x`/),
    expect.stringMatching(/^grader\.api_key: unknown key `api_key`: a suite holds no keys/),
    expect.stringMatching(/^grader\.provider\.apiKey: unknown key `apiKey`: a suite holds no keys/),
    expect.stringMatching(/^defaults\.assert\[0\]\.grader\.api-key: unknown key `api-key`: a suite holds no keys/),
    expect.stringMatching(/^tests\[0\]\.assert\[0\]\.grader\.api_key: unknown key `api_key`: a suite holds no keys/),
    expect.stringMatching(/^tests\[0\]\.assert\[0\]\.grader\.provider\.apiKey: unknown key/),
  ])
})

describe('a file of tests', () => {
  it('gets the hints of inline tests', async () => {
    const errors = await errorsOf(expand('tests: ["file://a.yaml"]', { 'a.yaml': '- {assert: [contains: x]}\n' }))
    expect(errors.join()).toContain('write `{type: contains, value: x}`')
  })

  it('shows no key of a vendor, in YAML or in JSON', async () => {
    const grader = 'grader: {api_key: sk-123, provider: {type: openai, model: m}}'
    const { warnings } = await expand('tests: ["file://a.yaml"]', {
      'a.yaml': `- {assert: [{type: llm-rubric, value: r, ${grader}}]}\n`,
    })
    expect(warnings.map(({ message }) => message)).toEqual([expect.stringContaining('a suite holds no keys')])
    expect(warnings.map(formatIssue).join()).toContain('{api_key: ******, provider: {type: openai, model: m}}')
    const broken = await issuesOf(expand('tests: ["file://a.json"]', { 'a.json': '[{"api_key": sk-123456789}]' }))
    expect(broken.map(formatIssue).join()).toMatch(/is not JSON: (?!.*sk-)/)
  })
})
