import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { LANGUAGES, PROGRAMS, type Language } from '../../../cli/init/programs.ts'
import { bareEnvironment } from '../../support/bare-environment.ts'
import { PROGRAM } from '../../support/servers/program.ts'

const folder = mkdtempSync(join(tmpdir(), 'ers-init-'))
afterAll(() => rmSync(folder, { recursive: true }))

const init = (...args: readonly string[]) =>
  spawnSync(process.execPath, [PROGRAM, 'init', ...args], { cwd: folder, env: bareEnvironment(), encoding: 'utf8' })

const hasPython = spawnSync('python3', ['--version'], { env: bareEnvironment() }).status === 0

/** What a program of a language answers for a country. Its program starts as the suite starts it. */
const answer = (language: Language, country: string): unknown => {
  const directory = join(folder, `programs-${language}`)
  mkdirSync(directory, { recursive: true })
  const { command, file, text } = PROGRAMS[language]
  writeFileSync(join(directory, file), text)
  const [program = '', ...args] = command
  const { status, stdout, stderr } = spawnSync(program, args, {
    cwd: directory,
    env: { ...bareEnvironment(), SERVICE_PROTOCOL: '1' },
    encoding: 'utf8',
    input: JSON.stringify({
      service: { protocol: 1, kind: 'provider' },
      // The same name in a text of the prompt must not be taken for the var.
      prompt: { text: 'Is "country":"Peru" in it? \\"country\\":"Peru"' },
      vars: { country },
      params: {},
      test: { id: 'a', tags: [] },
    }),
  })
  expect([status, stderr]).toEqual([0, ''])
  return JSON.parse(stdout)
}

const ANSWERS = [
  ['France', 'The capital of France is Paris.'],
  ['Peru', 'The capital of Peru is Lima.'],
  ['Australia', 'The capital of Australia is Sydney.'],
  ['Atlantis', 'I do not know.'],
  ['constructor', 'I do not know.'],
  ['a "b" \\ c\n$(id) %s é', 'I do not know.'],
] as const

describe('the program that ers init writes', () => {
  it.each(['node', 'bash'] as const)('in %s answers by exec protocol 1', (language) => {
    for (const [country, output] of ANSWERS) expect(answer(language, country)).toEqual({ output })
  })

  it(`in python answers by exec protocol 1 (${hasPython ? 'run here' : 'no python3 here: its text is compared'})`, () => {
    if (hasPython) {
      for (const [country, output] of ANSWERS) expect(answer('python', country)).toEqual({ output })
      return
    }
    // The same table and the same texts as the program in node.
    const wordsOf = (language: Language): readonly string[] =>
      [
        ...PROGRAMS[language].text.matchAll(/France|Paris|Peru|Lima|Australia|Sydney|The capital of|I do not know\./g),
      ].map(([word]) => word)
    expect(wordsOf('python').toSorted()).toEqual(wordsOf('node').toSorted())
  })
})

describe('ers init', () => {
  it.each(LANGUAGES)('writes a suite whose provider is a program in %s', (language) => {
    const directory = join(folder, language)
    const { status, stdout, stderr } = init(directory, '--language', language)
    expect([status, stderr]).toEqual([0, ''])
    const { file, command, text } = PROGRAMS[language]
    expect(readdirSync(directory).toSorted()).toEqual(['.gitignore', file, 'service.yaml', 'suite.schema.json'])
    expect(readFileSync(join(directory, file), 'utf8')).toBe(text)
    expect(readFileSync(join(directory, '.gitignore'), 'utf8')).toBe('.service/\n')
    const suite = readFileSync(join(directory, 'service.yaml'), 'utf8')
    const schema = /^# yaml-language-server: \$schema=(\S+)\n/.exec(suite)?.[1] ?? ''
    const printed = spawnSync(process.execPath, [PROGRAM, 'schema', 'config'], {
      env: bareEnvironment(),
      encoding: 'utf8',
    })
    expect(readFileSync(join(directory, schema), 'utf8')).toBe(printed.stdout)
    expect(parse(suite)).toMatchObject({ version: 1, providers: [{ type: 'exec', command }] })
    expect(stdout).toContain(`npx ers run ${directory}`)
  })

  it.each(LANGUAGES.filter((language) => language !== 'python' || hasPython))(
    `writes a suite that is valid and green at once: %s${hasPython ? '' : ' (python: no python3 here, its text is compared above)'}`,
    (language) => {
      const directory = mkdtempSync(join(folder, 'run-'))
      const ers = (...args: readonly string[]) =>
        spawnSync(process.execPath, [PROGRAM, ...args], { cwd: directory, env: bareEnvironment(), encoding: 'utf8' })
      expect(ers('init', '--language', language).status).toBe(0)
      expect(ers('validate')).toMatchObject({
        status: 0,
        stderr: '',
        stdout: expect.stringMatching(/^ok: .*1 provider\(s\), 1 prompt\(s\), 4 test source\(s\)\n$/) as unknown,
      })
      const { status, stdout } = ers('run', '--format', 'json')
      const { summary } = JSON.parse(stdout) as { summary: unknown }
      expect([status, summary]).toMatchObject([0, { passed: 3, failed: 0, errored: 0, xfailed: 1 }])
    },
  )

  it('writes into the current folder by default', () => {
    const { status, stdout } = init()
    expect(status).toBe(0)
    expect(stdout).toMatch(/^wrote service\.yaml, answer\.mjs, suite\.schema\.json, \.gitignore\n\nNext:/)
    expect(stdout).toMatch(/ {2}npx ers run {2,}# /)
    rmSync(join(folder, 'service.yaml'))
  })

  it('leaves a schema that is there as it is', () => {
    const directory = mkdtempSync(join(folder, 'schema-'))
    writeFileSync(join(directory, 'suite.schema.json'), 'mine')
    expect(init(directory)).toMatchObject({
      status: 0,
      stdout: expect.not.stringContaining('suite.schema.json') as unknown,
    })
    expect(readFileSync(join(directory, 'suite.schema.json'), 'utf8')).toBe('mine')
  })

  it('says for another folder that runs are stored in this one, unless its ignore file has them', () => {
    const here = mkdtempSync(join(folder, 'here-'))
    const initIn = (directory: string): string =>
      spawnSync(process.execPath, [PROGRAM, 'init', directory], { cwd: here, env: bareEnvironment(), encoding: 'utf8' })
        .stdout
    const advice = 'runs started here are stored in .service/ of this folder: add .service/ to the .gitignore here\n'
    expect(initIn('first')).toContain(advice)
    writeFileSync(join(here, '.gitignore'), '.service/\n')
    expect(initIn('second')).not.toContain(advice)
    rmSync(join(here, '.gitignore'))
    expect(initIn(here)).not.toContain(advice)
  })

  it.each(['service.yaml', 'service.yml', 'answer.mjs'])('overwrites nothing: exit code 2 if %s is there', (name) => {
    const directory = join(folder, `taken-${name}`)
    mkdirSync(directory)
    writeFileSync(join(directory, name), 'mine')
    const { status, stdout, stderr } = init(directory)
    expect([status, stdout]).toEqual([2, ''])
    expect(stderr).toBe(`already there, and never overwritten: ${join(directory, name)}\n`)
    expect(readdirSync(directory)).toEqual([name])
    expect(readFileSync(join(directory, name), 'utf8')).toBe('mine')
  })

  it.each([
    ['node_modules/\n', true],
    ['/.service\n', false],
  ])('leaves an ignore file as it is, and says what is missing in it: %j', (text, isMissing) => {
    const directory = mkdtempSync(join(folder, 'ignore-'))
    writeFileSync(join(directory, '.gitignore'), text)
    const { status, stdout } = init(directory)
    expect(status).toBe(0)
    expect(readFileSync(join(directory, '.gitignore'), 'utf8')).toBe(text)
    expect(stdout.includes('add .service/ to')).toBe(isMissing)
  })

  it('exits with 2 for another language and for a folder in a file, and with 3 if it cannot write', () => {
    expect(init(join(folder, 'x'), '--language', 'cobol').status).toBe(2)
    writeFileSync(join(folder, 'file'), '')
    expect(init(join(folder, 'file', 'inner'))).toMatchObject({
      status: 2,
      stderr: expect.stringContaining(join(folder, 'file', 'inner')) as unknown,
    })
    symlinkSync('nowhere', join(folder, 'dangling'))
    expect(init(join(folder, 'dangling'))).toMatchObject({
      status: 3,
      stderr: expect.stringContaining('cannot be written') as unknown,
    })
  })
})
