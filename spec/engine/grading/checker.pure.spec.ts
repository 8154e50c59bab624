import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { parseFloats } from '../../../engine/numbers.ts'
import { redactor } from '../../../engine/providers/redactor.ts'
import type { Programs } from '../../../engine/processes/program.ts'
import type { JsonObject } from '../../../engine/json.ts'
import { CASE, assertionOf, graderSpec, gradingSetUp } from '../../support/engine/grading.ts'

let directory: string
beforeEach(() => void (directory = mkdtempSync(join(tmpdir(), 'ers-checker-'))))
afterEach(() => rmSync(directory, { recursive: true }))

/** A program that writes its request and its environment to a file, and then this text to stdout. */
const program = (stdout: string, more = ''): void =>
  writeFileSync(
    join(directory, 'check.mjs'),
    `import { readFileSync, writeFileSync } from 'node:fs'
writeFileSync('seen.json', JSON.stringify({ request: JSON.parse(readFileSync(0, 'utf8')), env: process.env }))
process.stdout.write(${JSON.stringify(stdout)})
${more}`,
  )
const seen = () => JSON.parse(readFileSync(join(directory, 'seen.json'), 'utf8')) as Record<string, JsonObject>
const check = (fields: JsonObject = {}) => assertionOf('exec', { command: ['node', 'check.mjs'], ...fields })
const setUp = (more = {}) =>
  gradingSetUp({ directory, env: { PATH: process.env['PATH'], SECRET_KEY: 'the-secret-key' }, ...more })
const graded = (stdout: string, more = '') => {
  program(stdout, more)
  return setUp().grade(check())
}

describe('an exec assertion', () => {
  it('sends the case to a program', async () => {
    program('{"pass":true}')
    await setUp().grade(check({ config: { min_days: 14 } }), { tool_calls: [{ id: 'c', name: 'find', arguments: {} }] })
    expect(seen()['request']).toEqual({
      service: { protocol: 1, kind: 'assert' },
      output: 'Yes, 30 days.',
      test: { id: 'refund/eligible', tags: ['smoke'] },
      provider: { id: 'crm-bot' },
      config: { min_days: 14 },
      vars: { order: 'A-77', env: { TENANT: 'acme-tenant' } },
      tool_calls: [{ id: 'c', name: 'find', arguments: {} }],
    })
  })
  it('sends no members for tool calls where there are none, and an empty config', async () => {
    program('{"pass":true}')
    await setUp().grade(check(), { output: null })
    expect(seen()['request']).toMatchObject({ output: null, config: {} })
    expect(seen()['request']).not.toHaveProperty('tool_calls')
  })
  it('gives the program the version of the protocol and the path, and nothing else', async () => {
    program('{"pass":true}')
    await setUp().grade(check())
    expect(Object.keys(seen()['env']!).sort()).toEqual(['PATH', 'SERVICE_PROTOCOL'])
    expect(seen()['env']).toMatchObject({ SERVICE_PROTOCOL: '1' })
  })
  it('has the key that all engines share', async () => {
    program('{"pass":true}')
    const { grade, memory } = setUp()
    for (const vars of [CASE.vars, { ...CASE.vars, env: 'a var of this name' }])
      await grade(check({ config: { min_days: 14 }, cache_salt: 'c1' }), { vars })
    expect([...memory.entries.keys()]).toEqual([
      'sha256:c027c9f14de5a43e79d372a5ea2ac43a45dbbda62977fc6fecb999786e5b94ca',
    ])
    expect(JSON.stringify(memory.jsonOf([...memory.entries.keys()][0]!))).not.toContain('acme-tenant')
  })
  it('has one key for 1 and 1.0 in vars, and sends what is written', async () => {
    program('{"pass":true}')
    const { grade, memory } = setUp()
    await grade(check(), { vars: { n: 1 } })
    await grade(check(), { vars: parseFloats('{"n":1.0}') as JsonObject })
    expect(memory.entries.size).toBe(1)
  })
  it('is replayed with its reason and details', async () => {
    program('{"pass":false,"score":0.25,"reason":"too short","details":{"days":7}}')
    const { grade, entry } = setUp()
    const verdict = { status: 'fail', score: 0.25, reason: 'too short', details: { days: 7 } }
    const sent = await grade(check())
    expect(sent).toEqual({ ...verdict, cached: false, keys: [expect.stringMatching(/^sha256:/)] })
    rmSync(join(directory, 'check.mjs'))
    expect(await grade(check())).toEqual({ ...sent, cached: true })
    expect(entry()).toMatchObject({ kind: 'exec_assert', output: 'too short', raw: { pass: false } })
  })
  it.each([
    ['{"pass":true}', { status: 'pass', score: 1, reason: '' }],
    [' {"pass":false,"unknown":1}\n', { status: 'fail', score: 0, reason: '' }],
    ['{"pass":true,"score":0.5,"reason":null}', { status: 'pass', score: 0.5 }],
    ['{"pass":true,"score":85}', { status: 'pass', score: 1 }],
  ])('reads %s', async (stdout, verdict) => expect(await graded(stdout)).toMatchObject(verdict))

  it.each([
    ['nothing', '', ''],
    ['a log line', 'checking…', ''],
    ['two documents', '{"pass":true}{"pass":true}', ''],
    ['a list', '[true]', ''],
    ['no pass', '{"score":1}', ''],
    ['a text for pass', '{"pass":"true"}', ''],
    ['a text for score', '{"pass":true,"score":"1"}', ''],
    ['a number for reason', '{"pass":true,"reason":1}', ''],
    ['a verdict, but fails', '{"pass":true}', 'process.exitCode = 3'],
  ])('of a program that writes %s is an error, never stored', async (_, stdout, more) => {
    program(stdout, more)
    const { grade, memory } = setUp()
    const verdict = await grade(check())
    expect(verdict).toMatchObject({ status: 'error', error_class: 'checker_failed' })
    expect(verdict.reason).toMatch(/^grader error: /)
    expect(memory.entries.size).toBe(0)
  })
  it.each([[['./missing']], [[]], ['node check.mjs']])('of the command %j is an error', async (command) => {
    program('{"pass":true}')
    expect(await setUp().grade(check({ command }))).toMatchObject({ status: 'error', error_class: 'checker_failed' })
  })
  it('keeps no secret that the program writes', async () => {
    program('{"pass":true,"reason":"saw the-secret-key","details":["the-secret-key"]}')
    const { grade, entry } = setUp({ redactor: redactor(new Map([['SECRET_KEY', 'the-secret-key']])) })
    expect(await grade(check())).toMatchObject({ reason: 'saw [redacted SECRET_KEY]' })
    expect(JSON.stringify(entry())).not.toContain('the-secret-key')
    program('log: the-secret-key', "console.error('the-secret-key')")
    expect(await grade(check({ config: 1 }))).toMatchObject({
      status: 'error',
      reason: expect.not.stringContaining('the-secret-key') as unknown,
    })
  })
  it('takes as long as the grader of the suite allows', async () => {
    const timeouts: number[] = []
    const run: Programs['run'] = async ({ timeoutMs }) => {
      timeouts.push(timeoutMs)
      return { stdout: '{"pass":true}', stderr: '', durationMs: 1 }
    }
    await setUp({ programs: { run }, grader: graderSpec('openai', '', { timeout_ms: 7 }) }).grade(check())
    await setUp({ programs: { run } }).grade(check())
    expect(timeouts).toEqual([7, 120_000])
  })
  it('is not run with --cache-only', async () => {
    expect(await setUp({ mode: 'only' }).grade(check())).toMatchObject({ status: 'error', error_class: 'cache_miss' })
    expect(await setUp({ mode: 'only', usesCache: false }).grade(check())).toMatchObject({ error_class: 'cache_miss' })
  })
  it('takes the verdict of an old entry', async () => {
    const { grade, memory } = setUp()
    program('{"pass":true}')
    await grade(check())
    const verdict = { kind: 'exec', pass: false, score: 0.5, details: [1] }
    const old = { created_at: '2025-01-01T00:00:00Z', output: '', verdict }
    memory.entries.set([...memory.entries.keys()][0]!, Buffer.from(JSON.stringify(old)))
    expect(await grade(check())).toMatchObject({ status: 'fail', score: 0.5, reason: '', details: [1], cached: true })
  })
})
