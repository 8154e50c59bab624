import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { bareEnvironment } from '../../support/bare-environment.ts'
import { PROGRAM } from '../../support/servers/program.ts'
import { MINIMAL, suiteFolder } from '../../support/suites/suite-folder.ts'

const REFUNDS = fileURLToPath(new URL('../../support/suites/refunds', import.meta.url))

const ers = (args: readonly string[], cwd = REFUNDS) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [PROGRAM, ...args], {
    cwd,
    env: bareEnvironment(),
    encoding: 'utf8',
  })
  return { status, stdout, stderr }
}

describe('ers validate', () => {
  it('counts what a valid suite has', () =>
    expect(ers(['validate'])).toEqual({
      status: 0,
      stdout: 'ok: service.yaml — 3 provider(s), 1 prompt(s), 4 test source(s)\n',
      stderr: '',
    }))

  it('prints warnings with their line, and counts them', () => {
    const folder = suiteFolder({ 'evals/service.yaml': `${MINIMAL}tests: [{expect_fail: true}]\n` })
    expect(ers(['validate', 'evals/'], folder)).toEqual({
      status: 0,
      stdout: 'ok: evals/service.yaml — 1 provider(s), 0 prompt(s), 1 test source(s) (1 warning(s))\n',
      stderr: `evals/service.yaml:3:9: warning: tests[0]: marked expect_fail but asserts nothing
    tests: [{expect_fail: true}]
            ^
`,
    })
  })

  it('exits with 2 and all errors for a suite that is not valid', () => {
    const folder = suiteFolder({ 'service.yaml': `${MINIMAL}promts: []\nrunner: {timeout_ms: soon}\n` })
    const { status, stdout, stderr } = ers(['validate'], folder)
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' })
    expect(stderr).toContain('service.yaml:3:1: error: promts: unknown key `promts` in a suite')
    expect(stderr).toContain('did you mean `prompts`?')
    expect(stderr).toContain('service.yaml:4:22: error: runner.timeout_ms: expected a whole number')
  })

  it('runs no programs, and leaves files of tests to the run', () => {
    const folder = suiteFolder({
      'service.yaml': `${MINIMAL}tests: ["file://bad.txt", "file://*.csv", "file://../x.csv", no prefix, {generator: {command: [no]}}]`,
      'broken.csv': 'a,b\n1\n',
      'quote.csv': '"a\n',
      'binary.csv': new Uint8Array([0xff, 0xfe, 0xff]),
    })
    expect(ers(['validate'], folder)).toMatchObject({ status: 0, stderr: '' })
  })

  it('refuses columns of CSV whose checks would be lost, as a run does', () => {
    const folder = suiteFolder({
      'service.yaml': `${MINIMAL}tests: ["file://cases/*"]`,
      'cases/a.csv': 'id;q;__prefix;__expected\n1;v;;contains:zzz\n',
    })
    for (const command of ['validate', 'run']) {
      const { status, stderr } = ers([command], folder)
      expect([command, status]).toEqual([command, 2])
      expect(stderr).toContain('cases/a.csv: error: line 1: the column `__expected` is not known')
      expect(stderr).toContain('cases/a.csv: warning: line 1: the column `__prefix` has no meaning')
    }
  })

  it('exits with 2 without a suite', () =>
    expect(ers(['validate'], suiteFolder({}))).toMatchObject({
      status: 2,
      stderr: '.: error: the folder has neither service.yaml nor service.yml; `ers init` writes a first suite\n',
    }))
})

it('an unknown command is refused with the nearest one, without the whole help', () =>
  expect(ers(['rnu'])).toEqual({
    status: 2,
    stdout: '',
    stderr: "error: unknown command 'rnu'\n(Did you mean run?)\ners --help lists the commands\n",
  }))

describe('ers list', () => {
  it('warns of a glob without a match, in its place, as ers run does', () => {
    const folder = suiteFolder({ 'service.yaml': `${MINIMAL}tests: ["file://none/*.csv"]\n` })
    const place = 'service.yaml:3:9: '
    expect(ers(['list', 'tests'], folder)).toEqual({
      status: 0,
      stdout: '',
      stderr: expect.stringContaining(`${place}warning: tests[0]: no file matches file://none/*.csv`) as string,
    })
    const { status, stderr } = ers(['run', '--allow-empty', '--cache-only', '--no-cache'], folder)
    expect({ status, stderr }).toEqual({
      status: 0,
      stderr: expect.stringContaining(`${place}tests[0]: no file matches file://none/*.csv`) as string,
    })
    expect(stderr).toContain('--cache-only has no effect with --no-cache')
  })

  it('lists the ids of tests, and names generators that were not run', () =>
    expect(ers(['list', 'tests'])).toEqual({
      status: 0,
      stdout: 'refund/eligible\nrefund/late\nreturns/opened\nreturns/late\n',
      stderr: 'not listed, use --generators to run them: generator node generate.mjs\n',
    }))

  it('runs generators if asked for', () =>
    expect(ers(['list', 'tests', '--generators', '--json'])).toEqual({
      status: 0,
      stdout: '["refund/eligible","refund/late","returns/opened","returns/late","node/0","node/1"]\n',
      stderr: '',
    }))

  it('lists providers with their fallbacks, and their ids as JSON', () => {
    expect(ers(['list', 'providers']).stdout).toBe('fast-model -> fallback: [spare]\nspare (fallback_only)\ncrm-bot\n')
    expect(ers(['list', 'providers', '--json']).stdout).toBe('["fast-model","spare","crm-bot"]\n')
  })

  it('lists prompts', () => expect(ers(['list', 'prompts', REFUNDS], '/').stdout).toBe('chat\n'))

  it('exits with 3 if a generator does not run, with 2 if its output is no test', () => {
    const folder = suiteFolder({
      'world.yaml': `${MINIMAL}tests: [{generator: {command: [./no-such-program]}}]`,
      'output.yaml': `${MINIMAL}tests: [{generator: {command: [node, -e, "console.log(1)"]}}]`,
    })
    expect(ers(['list', 'tests', '--generators', join(folder, 'world.yaml')])).toMatchObject({ status: 3, stdout: '' })
    expect(ers(['list', 'tests', '--generators', join(folder, 'output.yaml')])).toMatchObject({ status: 2, stdout: '' })
  })

  it('exits with 2 for anything else to list', () => expect(ers(['list', 'cases']).status).toBe(2))
})

it('ers schema prints the schema of a suite or of a run document', () => {
  expect(JSON.parse(ers(['schema', 'config']).stdout)).toMatchObject({ title: 'Suite' })
  expect(JSON.parse(ers(['schema', 'result']).stdout)).toMatchObject({ title: 'Run document' })
  expect(ers(['schema', 'other']).status).toBe(2)
})
