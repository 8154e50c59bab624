import { execFileSync } from 'node:child_process'
import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readSuiteFile } from '../../../engine/data/suite-files.ts'
import { expandTests } from '../../../engine/data/expand-tests.ts'
import { programDigest } from '../../../engine/processes/program-digest.ts'
import { loadSuite } from '../../../engine/suite/load-suite.ts'
import { createTemplates } from '../../../engine/templates/templates.ts'
import { programsInProcess, runInProcess } from '../../support/engine/run-in-process.ts'
import { MINIMAL, suiteFolder } from '../../support/suites/suite-folder.ts'
import { enginePorts } from '../../support/vendors/engine-ports.ts'

/** The text in the one file outside of the suite. */
const OUTSIDE = 'canary-outside'

/**
 * A folder with a suite of this text, next to a file that it may not read. In the suite are a link to that file, one to
 * a device, two links in a circle, and, if the text names one, a pipe that no process writes.
 */
const suiteWith = (text: string): string => {
  const folder = suiteFolder({ 'secret.txt': OUTSIDE, 'suite/service.yaml': MINIMAL + text, 'suite/in/a.txt': 'x' })
  const suite = join(folder, 'suite')
  symlinkSync('../secret.txt', join(suite, 'out.txt'))
  symlinkSync('/dev/zero', join(suite, 'zero.txt'))
  symlinkSync('b.txt', join(suite, 'circle.txt'))
  symlinkSync('circle.txt', join(suite, 'b.txt'))
  symlinkSync('..', join(suite, 'in', 'up'))
  if (text.includes('pipe')) execFileSync('mkfifo', [join(suite, 'pipe.txt')])
  return suite
}

/** All that loading, expanding and running a suite says: faults and messages. */
const saidOf = async (folder: string): Promise<string> => {
  const ports = enginePorts({ OPENAI_API_KEY: 'k' })
  const programs = programsInProcess(() => ({ output: 'o' }))
  try {
    const loaded = await loadSuite(folder, { env: {} })
    const templates = createTemplates({ now: () => 0, env: {} })
    const { signal } = new AbortController()
    const { tests } = await expandTests(loaded, { programs, templates, env: {}, generators: false, signal })
    const { document } = await runInProcess({ loaded, tests, programs, ports })
    return JSON.stringify(document.cases)
  } catch (error) {
    return String(error)
  }
}

/** Every place of a suite that names a file, with the path written there. */
const PLACES: ReadonlyArray<readonly [name: string, suite: (path: string) => string]> = [
  ['tests', (path) => `tests: [${JSON.stringify(`file://${path}`)}]`],
  ['a var', (path) => `tests: [{vars: {q: {$file: ${JSON.stringify(path)}}}}]`],
  [
    'the reference of an assertion',
    (path) => `tests: [{assert: [{type: equals, value: {$file: ${JSON.stringify(path)}}}]}]`,
  ],
  ['a history', (path) => `tests: [{history: ${JSON.stringify(`file://${path}`)}}]`],
  [
    'the template of a grader',
    (path) =>
      `grader: {provider: {type: openai, model: m, base_url: "http://127.0.0.1:1"}, template: ${JSON.stringify(`file://${path}`)}}\ntests: [{assert: [{type: llm-rubric, value: r}]}]`,
  ],
]

describe.each(PLACES)('the file of %s', (_, suite) => {
  it.each([
    ['../secret.txt', '..'],
    ['in/../../secret.txt', '..'],
    ['..\\secret.txt', '..'],
    ['in\\..\\..\\secret.txt', '..'],
    ['/dev/zero', 'absolute'],
    ['/etc/hostname', 'absolute'],
    ['C:/x.txt', 'absolute'],
    ['\\\\host\\x.txt', 'absolute'],
    ['out.txt', 'leads out of the folder'],
    ['zero.txt', 'leads out of the folder'],
    ['in/up/../../secret.txt', '..'],
  ])('cannot be %s', async (path, reason) => {
    const said = await saidOf(suiteWith(suite(path)))
    expect(said).toContain(reason)
    expect(said).not.toContain(OUTSIDE)
  })

  it.each(['%2e%2e/secret.txt', '%2e%2e%2fsecret.txt', '..%2fsecret.txt', 'circle.txt', 'pipe.txt'])(
    'is not read as %s',
    async (path) => expect(await saidOf(suiteWith(suite(path)))).not.toContain(OUTSIDE),
  )
})

describe('what is no regular file', () => {
  it('is refused wherever a file is named', async () => {
    const folder = suiteWith('# pipe.txt')
    await expect(readSuiteFile(folder, 'pipe.txt')).rejects.toThrow('pipe.txt is not a regular file')
    await expect(readSuiteFile(folder, 'circle.txt')).rejects.toThrow('circle.txt is a circle of symbolic links')
    expect(await programDigest('./pipe.txt', folder, '')).toBeNull()
    await expect(loadSuite(join(folder, 'pipe.txt'), { env: {} })).rejects.toThrow('is not a regular file')
  })

  it.each(['pipe.txt', '/dev/zero'])('is neither extended nor imported: %s', async (path) => {
    expect(await saidOf(suiteWith(`extends: ${path}\n`))).toContain('is not a regular file')
    expect(await saidOf(suiteWith(`imports: [${path}]\n`))).toContain('is not a regular file')
  })

  it('is no match of a glob, nor part of a digest, and a folder that links to itself ends', async () => {
    expect(await saidOf(suiteWith('tests: ["file://**/pipe*"]'))).toBe('[]')
    const salted = MINIMAL.replace('type: exec', 'type: exec, cache_salt: "$digest:pipe*"')
    const folder = suiteFolder({ 'service.yaml': salted })
    execFileSync('mkfifo', [join(folder, 'pipe.txt')])
    await expect(loadSuite(folder, { env: {} })).rejects.toThrow('no file matches `pipe*`')
  })
})
