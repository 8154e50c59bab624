import { symlinkSync } from 'node:fs'
import { join, relative } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parseFloats } from '../../../engine/numbers.ts'
import { SuiteError } from '../../../engine/suite/issues.ts'
import { loadSuite } from '../../../engine/suite/load-suite.ts'
import { errorsOf, issuesOf, load, MINIMAL, suiteFolder } from '../../support/suites/suite-folder.ts'

const env = {}

describe('the file of a suite', () => {
  it('is service.yaml in a folder, then service.yml, or any file', async () => {
    const folder = suiteFolder({ 'service.yml': `${MINIMAL}suite: yml`, 'any.txt': `${MINIMAL}suite: any` })
    expect((await loadSuite(folder, { env })).suite.suite).toBe('yml')
    expect((await loadSuite(join(folder, 'any.txt'), { env })).suite.suite).toBe('any')
    const both = suiteFolder({ 'service.yml': `${MINIMAL}suite: yml`, 'service.yaml': `${MINIMAL}suite: yaml` })
    expect((await loadSuite(both, { env })).suite.suite).toBe('yaml')
  })

  it('is named as the caller names it, and its folder is absolute', async () => {
    const folder = suiteFolder({ 'service.yaml': MINIMAL })
    const path = relative(process.cwd(), folder)
    const loaded = await loadSuite(path, { env })
    expect(loaded.file).toBe(join(path, 'service.yaml'))
    expect(loaded.directory).toBe(folder)
  })

  it('is missed with both names', async () =>
    expect(await errorsOf(loadSuite(suiteFolder({}), { env }))).toEqual([
      ': the folder has neither service.yaml nor service.yml; `ers init` writes a first suite',
    ]))

  it('may not be a link to itself', async () => {
    const folder = suiteFolder({})
    symlinkSync('service.yaml', join(folder, 'service.yaml'))
    await expect(loadSuite(folder, { env })).rejects.toThrow(
      `${join(folder, 'service.yaml')}: error: is a circle of symbolic links`,
    )
  })

  it('must exist and be UTF-8', async () => {
    expect(await errorsOf(loadSuite('/nowhere', { env }))).toEqual([': does not exist'])
    const folder = suiteFolder({ 'service.yaml': Uint8Array.of(0x61, 0xff) })
    expect(await errorsOf(loadSuite(folder, { env }))).toEqual([': is not UTF-8 text'])
  })
})

describe('the text of a suite', () => {
  it('follows the core schema of YAML 1.2', async () => {
    const { suite } = await load(
      `${MINIMAL}tests: [{vars: {a: yes, b: on, c: ~, d: true, e: 0o17, f: 0x1F, g: 1e3, h: "1", i: 007, j: 12:30}}]`,
    )
    const values = {
      a: 'yes',
      b: 'on',
      c: null,
      d: true,
      e: 15,
      f: 31,
      g: parseFloats('1e3'),
      h: '1',
      i: 7,
      j: '12:30',
    }
    expect(suite.tests[0]).toMatchObject({ test: { vars: values } })
  })

  it('keeps the fraction of floats in vars and matrix alone', async () => {
    const { suite, snapshot } = await load(
      `${MINIMAL}tests: [{threshold: 1.0, vars: {a: 1.0, b: [2., 0.50], c: 1}, matrix: {t: [0.0]}, history: [{role: assistant, tool_calls: [{name: f, arguments: {n: 1.0}}]}]}]`,
    )
    expect(JSON.stringify(suite.tests)).toContain('"vars":{"a":1.0,"b":[2.0,0.5],"c":1}')
    expect(JSON.stringify(snapshot)).toContain('"matrix":{"t":[0.0]}')
    expect(suite.tests[0]).toMatchObject({
      test: { threshold: 1, history: [{ tool_calls: [{ arguments: { n: 1 } }] }] },
    })
  })

  it('reads a null for an optional key as an absent key', async () => {
    const { suite, snapshot } = await load(
      `${MINIMAL}extends: null\nimports: ~\nsuite: null\ngrader: null\nprompts: [{id: p, template: null, messages: [{role: user, content: x, tool_calls: null}]}]\n` +
        'tests: [{id: t, threshold: null, vars: {n: null}, assert: [{type: length, min: 1, max: null}, {type: equals, value: null}]}]',
    )
    expect(suite.suite).toBeUndefined()
    expect(suite.prompts).toEqual([{ id: 'p', messages: [{ role: 'user', content: 'x' }] }])
    const { suite: _, ...bare } = snapshot
    expect(Object.keys(bare)).toEqual(['version', 'providers', 'prompts', 'tests'])
    expect(suite.tests[0]).toMatchObject({
      test: { vars: { n: null }, assert: [{ fields: { min: 1 } }, { fields: { value: null } }] },
    })
    expect(JSON.stringify(snapshot['tests'])).not.toContain('"max"')
    expect(JSON.stringify(snapshot['tests'])).not.toContain('"threshold"')
  })

  it('still refuses a null for a key that is needed, and for a member of a mapping', async () =>
    expect(
      await errorsOf(load('version: 1\nproviders: [{id: null, type: exec, command: [x], env: {A: null}}]')),
    ).toEqual([
      'providers[0].id: expected a string, got null (leave the key out for its default)',
      'providers[0].env.A: expected a string, got null (leave the key out for its default)',
    ]))

  it('records empty optional lists and mappings as absent keys', async () => {
    const { snapshot } = await load(
      'version: 1\nproviders: [{id: bot, type: exec, command: [bot], fallback: [], env: {}}]\ntools: []\n' +
        'tests: [{id: t, tags: [], matrix: {}, only_providers: [], skip_providers: [], history: [{role: assistant, tool_calls: [{name: f, arguments: null}]}]}, {history: []}]',
    )
    const { snapshot: bare } = await load(
      `${MINIMAL}tests: [{id: t, history: [{role: assistant, tool_calls: [{name: f}]}]}, {history: []}]`,
    )
    expect(snapshot).toEqual(bare)
    expect(JSON.stringify(snapshot['tests'])).toContain('{"history":[]}')
  })

  it('keeps integers beyond 2^53', async () => {
    const { suite } = await load(`${MINIMAL}tests: [{vars: {n: 12345678901234567890, h: 0xFFFFFFFFFFFFFFFF}}]`)
    expect(JSON.stringify(suite.tests)).toContain('"n":12345678901234567890,"h":18446744073709551615')
  })

  it('may use anchors and aliases', async () => {
    const { suite } = await load(`${MINIMAL}tests:\n  - &a {id: x, tags: &t [y]}\n  - {id: z, tags: *t}`)
    expect(suite.tests[1]).toMatchObject({ test: { tags: ['y'] } })
  })

  it('writes {$raw: x} as !raw x and {$file: p} as !file p, at any depth', async () => {
    const { suite } = await load(`${MINIMAL}tests: [{vars: {a: !raw [1], b: !file p, c: {d: !raw x}}}]`)
    expect(suite.tests[0]).toMatchObject({
      test: { vars: { a: { $raw: [1] }, b: { $file: 'p' }, c: { d: { $raw: 'x' } } } },
    })
  })

  it.each([
    [
      'a key twice',
      'version: 1\nversion: 1',
      'the key `version` occurs twice in one mapping; first in line 1, column 1',
    ],
    ['another tag', 'version: !x 1', 'the tag !x is not known; accepted tags: `!raw`, `!file`'],
    ['a value that contains itself', 'a: &a [*a]', 'the alias *a is inside of the value that it names'],
    ['an alias without anchor', 'a: *a', /alias|anchor/i],
    ['a number without JSON', 'a: .inf', '.inf is not a number that JSON can hold'],
    ['a key that is no text', '? [x]\n: 1', 'a key must be a text'],
    ['the key __proto__', '__proto__: 1', 'the key `__proto__` is not accepted'],
    ['no mapping', '- 1', 'a mapping is needed at the top of the file'],
    ['nothing', '# empty', 'the file is empty; a mapping is needed'],
    ['two documents', 'a: 1\n---\nb: 1', 'the file holds several YAML documents; one is accepted'],
    ['broken brackets', 'a: [1', 'sequence'],
    ['deep nesting', `a: ${'['.repeat(5000)}${']'.repeat(5000)}`, 'nested too deeply'],
    ['nesting below that', `a: ${'['.repeat(300)}${']'.repeat(300)}`, 'nested too deeply'],
  ])('is refused with %s', async (_, text, message) => expect((await errorsOf(load(text)))[0]).toMatch(message))

  it('is refused if aliases expand without measure', async () => {
    const levels = Array.from(
      { length: 9 },
      (_, level) =>
        `a${level}: &a${level} [${level === 0 ? 'x' : Array.from({ length: 9 }, () => `*a${level - 1}`).join()}]`,
    )
    const [issue] = await issuesOf(load(levels.join('\n')))
    expect(issue?.message).toMatch(/^the aliases of this file expand its \d+ values to \d{8,}$/)
  })
})

describe('a loaded suite', () => {
  it('has its defaults filled in', async () => {
    const { suite } = await load(MINIMAL)
    expect(suite).toEqual({
      version: 1,
      providers: [
        { id: 'bot', type: 'exec', command: ['bot'], env: {}, timeout_ms: 60000, fallback: [], fallback_only: false },
      ],
      prompts: [],
      tools: [],
      tests: [],
      runner: {
        concurrency: 1,
        retries: { max: 2, initial_ms: 500, max_ms: 8000, jitter: false, retry_after_max_ms: 120000 },
        short_circuit: true,
        skip_on_empty_reason: [],
        refusal_patterns: [],
        fallback_on_empty_reason: ['refusal', 'content_filter'],
      },
      cache: { backend: 'disk', store_empty_outputs: 'reproducible', grader: true },
    })
  })

  it('has providers in one form', async () => {
    const { suite } = await load(`version: 1
providers:
  - {id: v, type: openai, model: m, base_url: "https://x/v1//", api_key_env: KEY}
  - {id: h, type: http, url: u, method: get}
`)
    expect(suite.providers).toMatchObject([
      { base_url: 'https://x/v1', api_key_env: ['KEY'], params: {}, request: { query: {}, headers: {} } },
      { method: 'GET', headers: {} },
    ])
  })

  it('has assertions in one form: not- wins over negate', async () => {
    const { suite } = await load(`${MINIMAL}tests:
  - assert:
      - {type: not-contains, value: x, negate: false, weight: 2}
      - {type: is-json, negate: true}
      - {type: llm-rubric, value: v, grader: {provider: {type: openai, model: m}, timeout_ms: 5}}
`)
    expect(suite.tests[0]).toMatchObject({
      test: {
        assert: [
          { kind: 'contains', negate: true, weight: 2, fields: { value: 'x' } },
          { kind: 'is-json', negate: true, weight: 1, fields: {} },
          { kind: 'llm-rubric', grader: { provider: { type: 'openai', model: 'm' }, timeout_ms: 5, params: {} } },
        ],
      },
    })
  })

  it('counts a concurrency of 0 as 1, and expect_fail: false as unmarked', async () => {
    const { suite } = await load(
      `${MINIMAL}runner: {concurrency: 0}\ntests: [{expect_fail: false}, {expect_fail: why}]`,
    )
    expect(suite.runner.concurrency).toBe(1)
    expect(suite.tests[0]).not.toHaveProperty('test.expect_fail')
    expect(suite.tests[1]).toHaveProperty('test.expect_fail', 'why')
  })

  it('has digests in place of the $digest: salts of programs alone', async () => {
    const { suite, snapshot } = await load(
      `version: 1
providers:
  - {id: a, type: exec, command: [x], cache_salt: "$digest:bot/*"}
  - {id: b, type: openai, model: m, cache_salt: "$digest:bot/*"}
`,
      { files: { 'bot/a.txt': 'one\n', 'bot/b.txt': 'two\n' } },
    )
    expect(suite.providers).toMatchObject([
      { cache_salt: 'blake3:c30331dd367526ecd33ba6bc54b65bbb8cdaac0ab234fcc5aaeb8d2f6508b7dc' },
      { cache_salt: '$digest:bot/*' },
    ])
    expect(snapshot).toMatchObject({ providers: [{ cache_salt: '$digest:bot/*' }, {}] })
    expect(
      await errorsOf(load('version: 1\nproviders: [{id: a, type: exec, command: [x], cache_salt: "$digest:no/*"}]')),
    ).toEqual(['providers[0].cache_salt: no file matches `no/*`'])
  })

  it('reports all faults of a suite at once, with line, column and the line itself', async () => {
    const text = `version: 1
providers:
  - id: bot
    type: exec
    command: [bot]
runner:
  retries: {max: 1, maxx: 3}
x-mine: 1
`
    const folder = suiteFolder({ 'service.yaml': text })
    const file = join(folder, 'service.yaml')
    const error: unknown = await loadSuite(folder, { env }).catch((fault: unknown) => fault)
    expect(error).toBeInstanceOf(SuiteError)
    expect((error as SuiteError).message)
      .toBe(`${file}:7:21: error: runner.retries.maxx: unknown key \`maxx\` in the retries block; accepted keys: \`max\`, \`initial_ms\`, \`max_ms\`, \`jitter\`, \`retry_after_max_ms\`; did you mean \`max\`?
      retries: {max: 1, maxx: 3}
                        ^
${file}:8:1: error: x-mine: unknown key \`x-mine\` in a suite; accepted keys: \`version\`, \`project\`, \`suite\`, \`description\`, \`extends\`, \`imports\`, \`providers\`, \`prompts\`, \`tools\`, \`tests\`, \`defaults\`, \`grader\`, \`runner\`, \`cache\`, \`baseline\`
    x-mine: 1
    ^`)
  })

  it('names an unsupported version', async () =>
    expect(await errorsOf(load(MINIMAL.replace('1', '2')))).toEqual([
      'version: version 2 is not supported; expected 1',
    ]))
})
