import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest'
import { connect } from '../../../clients/typescript/src/index.ts'
import { bareEnvironment } from '../../support/bare-environment.ts'
import { startServer } from '../../support/servers/server.ts'

const REPORTER = fileURLToPath(new URL('../../../clients/typescript/src/vitest/index.ts', import.meta.url))
const MODULES = fileURLToPath(new URL('../../../node_modules', import.meta.url))

const EVALS = `
import { describe, expect, it, test } from 'vitest'
import { record } from ${JSON.stringify(REPORTER)}

describe('refunds', () => {
  it.for(['small', 'large'])('answers with %s', (provider, context) => {
    record(context, { provider, test: 'answers', prompt: [{ role: 'user', content: 'How long?' }], vars: { n: 1 } })
    record(context, { output: { text: 'a\\0b' }, tokens: { input: 5, output: 7, cache_read: 2 }, cost_usd: 0.001, tags: ['smoke'] })
    record(context, { score: 0.75, scores: { similarity: 0.2 } })
    expect(provider).toBe('large')
  })
})
test('errors', () => { throw new TypeError('no answer') })
test.fails('fails as expected', () => { expect(1).toBe(2) })
test.fails('passes unexpectedly', () => {})
test.skip('is skipped', () => {})
let tries = 0
test('is retried', { retry: 2 }, (context) => {
  record(context, { prompt: 'Again?', output: 'x'.repeat(200_001), latency_ms: 12.4 })
  expect(++tries).toBe(2)
})
test.for([1, 2])('twice', (n, context) => { record(context, { test: 'twice' }) })
test('checks what is recorded', (context) => {
  for (const wrong of [{ score: 1.1 }, { scores: { a: NaN } }, { tokens: { input: 0.5 } }, { cost_usd: -1 }, { latency_ms: '1' }])
    expect(() => record(context, wrong as never)).toThrow(RangeError)
})
`
const PLAIN = `
import { test } from 'vitest'

test('is no evaluation', () => {})
`
afterAll(() => server.stop())

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ers-vitest-'))
  symlinkSync(MODULES, join(folder, 'node_modules'))
  writeFileSync(join(folder, 'refunds.eval.ts'), EVALS)
  writeFileSync(join(folder, 'plain.test.ts'), PLAIN)
})
afterEach(() => rmSync(folder, { recursive: true }))

/** Runs vitest in the folder, and returns its exit code and output. */
const vitest = async (options: object, env: Readonly<Record<string, string>> = {}) => {
  const config = { include: ['**/*.{eval,test}.ts'], reporters: ['default', [REPORTER, options]] }
  writeFileSync(join(folder, 'vitest.config.mjs'), `export default { test: ${JSON.stringify(config)} }`)
  const run = promisify(execFile)(process.execPath, [join(MODULES, 'vitest/vitest.mjs'), 'run', '--no-color'], {
    cwd: folder,
    env: { ...bareEnvironment(), ...env },
  })
  return run.then(
    ({ stdout, stderr }) => ({ code: 0, output: stdout + stderr }),
    ({ code, stdout, stderr }: { code: number; stdout: string; stderr: string }) => ({ code, output: stdout + stderr }),
  )
}

type Case = { readonly cell: { provider_id: string; test_id: string; repeat: number } } & Readonly<
  Record<string, unknown>
>
const casesOf = (text: string): readonly Case[] => (JSON.parse(text) as { cases: readonly Case[] }).cases
const outlineOf = (cases: readonly Case[]): string[] =>
  cases.map(({ cell, status }) => `${cell.provider_id} | ${cell.test_id} ${cell.repeat} | ${String(status)}`)

const OUTLINE = [
  'small | refunds.eval.ts > answers 0 | fail',
  'large | refunds.eval.ts > answers 0 | pass',
  'tests | refunds.eval.ts > errors 0 | error',
  'tests | refunds.eval.ts > fails as expected 0 | xfail',
  'tests | refunds.eval.ts > passes unexpectedly 0 | xpass',
  'tests | refunds.eval.ts > is skipped 0 | skip',
  'tests | refunds.eval.ts > is retried 0 | pass',
  'tests | refunds.eval.ts > twice 0 | pass',
  'tests | refunds.eval.ts > twice 1 | pass',
  'tests | refunds.eval.ts > checks what is recorded 0 | pass',
]
const server = await startServer()

describe('the vitest reporter', () => {
  it('uploads the tests of evaluations as one run, with what they recorded', async () => {
    const options = { suite: 'evals', project: 'vitest', run_id: 'vitest-1', tags: ['nightly'] }
    const { code, output } = await vitest(options, { SERVICE_SERVER_URL: server.url, SERVICE_TOKEN: server.token })
    expect(output).toContain(`uploaded 10 cases: ${server.url}/runs/vitest-1`)
    expect(code).toBe(1)
    const ers = connect({ url: server.url, token: server.token })
    const { data } = await ers.api.GET('/api/v1/runs/{id}/export', {
      params: { path: { id: 'vitest-1' } },
      parseAs: 'text',
    })
    const cases = casesOf(String(data))
    expect(outlineOf(cases)).toEqual(OUTLINE)
    expect(cases[0]).toMatchObject({
      score: 0.75,
      prompt: { messages: [{ role: 'user', content: 'How long?' }] },
      output: { text: 'a\uFFFDb' },
      usage: { input_tokens: 5, output_tokens: 7, cache_read_tokens: 2 },
      cost_usd: 0.001,
      vars: { n: 1 },
      tags: ['smoke'],
      asserts: [
        { status: 'fail', weight: 1, reason: expect.stringContaining("expected 'small' to be 'large'") as string },
        { status: 'fail', weight: 0, score: 0.2, criteria: { name: 'similarity', threshold: 0.5 } },
      ],
    })
    expect(cases[2]).toMatchObject({ error: 'no answer', error_class: 'TypeError' })
    expect(cases[6]).toMatchObject({ attempts: 2, latency_ms: 12, prompt: { text: 'Again?' } })
    expect(cases[6]?.['output']).toMatch(/x… \[cut, 1 characters\]$/)
    const run = await ers.api.GET('/api/v1/runs/{id}', { params: { path: { id: 'vitest-1' } } })
    expect(run.data).toMatchObject({ suite: 'evals', tags: ['nightly'], case_count: 10, cost_usd: 0.002 })
  })

  it('writes a file without a server, and when the upload is refused', async () => {
    expect((await vitest({ suite: 'evals' })).output).toContain('wrote 10 cases to')
    expect(outlineOf(casesOf(readFileSync(join(folder, 'ers-run.json'), 'utf8')))).toEqual(OUTLINE)
    writeFileSync(join(folder, 'refunds.eval.ts'), PLAIN)
    const refused = await vitest({ suite: 'evals', url: server.url }, { SERVICE_TOKEN: 'wrong' })
    expect(refused.code).toBe(1)
    expect(refused.output).toContain('the run could not be uploaded: ')
    expect(casesOf(readFileSync(join(folder, 'ers-run.json'), 'utf8'))).toHaveLength(1)
  })

  it('does nothing without a suite', async () => {
    rmSync(join(folder, 'refunds.eval.ts'))
    expect(await vitest({}, { SERVICE_SERVER_URL: server.url })).toMatchObject({ code: 0 })
    expect((await vitest({ suite: 'evals' })).output).toContain('no run was made')
  })
})
