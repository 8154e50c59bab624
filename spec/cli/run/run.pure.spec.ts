import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { runErs, type Ran } from '../../support/servers/run-ers.ts'
import type { RunDocument } from '../../../engine/runner/run-document.ts'
import { bareEnvironment } from '../../support/bare-environment.ts'
import { PROGRAM } from '../../support/servers/program.ts'

let folder: string
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'ers-cli-run-'))))
afterEach(() => rmSync(folder, { recursive: true }))

/** Runs the program in the folder of the spec. */
const ers = (args: readonly string[], env: Readonly<Record<string, string>> = {}) => runErs(args, { cwd: folder, env })

/**
 * A provider that repeats the var `q` and counts its calls in a folder. Some questions are orders: `crash`, and a signal
 * to the process that asks, after which the program never ends.
 */
const BOT = `import { mkdirSync, readFileSync } from 'node:fs'
const { q } = JSON.parse(readFileSync(0, 'utf8')).vars
mkdirSync('calls/' + process.pid, { recursive: true })
if (q === 'crash') process.exit(7)
if (q.startsWith('SIG')) process.kill(process.ppid, q)
if (q === 'SIGINT') setInterval(() => {}, 1000)
else console.log(JSON.stringify({ output: 'You said ' + q }))
`
const write = (name: string, text: string) => writeFileSync(join(folder, name), text)
const suite = (tests: string, more = '') => {
  write('bot.mjs', BOT)
  write(
    'service.yaml',
    `version: 1
project: desk
suite: refunds
providers:
  - {id: bot, type: exec, command: ["${process.execPath}", bot.mjs]}
tests:
${tests}${more}`,
  )
}
const PASS = '  - {id: good, vars: {q: yes}, assert: [{type: contains, value: yes}]}\n'
const FAIL = '  - {id: bad, vars: {q: no}, assert: [{type: contains, value: yes}]}\n'
const CRASH = '  - {id: crash, vars: {q: crash}}\n'
const calls = () => (existsSync(join(folder, 'calls')) ? readdirSync(join(folder, 'calls')).length : 0)
const documentOf = ({ stdout }: Ran) => JSON.parse(stdout) as RunDocument

describe('ers run', () => {
  it.each([
    ['every case passes', PASS, [], 0],
    ['a case fails', PASS + FAIL, [], 1],
    ['a case does not render', '  - {id: a, vars: {q: "{{ missing }}"}}\n', [], 2],
    ['a program breaks', PASS + FAIL + CRASH, [], 3],
    ['nothing is selected, which is allowed', PASS, ['--tag', 'none', '--allow-empty'], 0],
    ['the provider is not known', PASS, ['--provider', 'nope'], 2],
    ['options contradict each other', PASS, ['--retries', '1', '--no-retries'], 2],
    ['the output cannot be written', PASS, ['--out', 'none/out.txt'], 3],
    ['the baseline does not exist', PASS, ['--against', 'nowhere.json'], 2],
    ['there is no service to share with', PASS, ['--share'], 2],
  ])('if %s ends with its exit code', async (_, tests, args, code) => {
    suite(tests)
    expect(await ers(['run', ...args])).toMatchObject({ code })
  })

  it('may end well if the service fails', async () => {
    const failing = createServer((_, response) => void response.writeHead(500).end()).listen(0, '127.0.0.1')
    await once(failing, 'listening')
    suite(PASS)
    const url = `http://127.0.0.1:${(failing.address() as AddressInfo).port}`
    const share = ['run', '--share', '--server-url', url]
    expect(await ers([...share, '--allow-share-failure'])).toMatchObject({ code: 0 })
    expect(await ers(share)).toMatchObject({ code: 3 })
    failing.close()
  })

  it('refuses a suite that is none, with the place', async () => {
    suite(PASS, 'runner: {concurency: 2}\n')
    const { code, stderr } = await ers(['run'])
    expect(code).toBe(2)
    expect(stderr).toContain('service.yaml:8:10: error: runner.concurency:')
  })

  it('stores the run, prints its document, and calls nothing a second time', async () => {
    suite(PASS + FAIL)
    const first = documentOf(await ers(['run', '--format', 'json', '--note', 'first']))
    expect(first).toMatchObject({ summary: { total: 2, passed: 1, failed: 1 }, origin: { note: 'first' } })
    const path = join(folder, '.service', 'runs', first.run_id, 'result.json')
    expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual(first)
    const second = documentOf(await ers(['run', '--format', 'json', '-j', '4']))
    expect(second.summary).toMatchObject({ cache_hits: 2, cache_misses: 0 })
    expect(calls()).toBe(2)
  })

  it('names the number of its cells in the log', async () => {
    suite(PASS)
    expect((await ers(['run', '-v'])).stderr).toMatch(/run \S+: 1 cell\b/)
  })

  it('compares with the run before, and fails for a new failure', async () => {
    suite(PASS)
    expect(await ers(['run', '--against', 'latest', '--summary-md', 'first.md'])).toMatchObject({ code: 0 })
    const first = readFileSync(join(folder, 'first.md'), 'utf8')
    expect(first).toMatch(/\n`No comparison: there is no other stored run of .*`\n$/)
    expect((await ers(['ci-summary', 'latest', '--against', 'latest'])).stdout).toBe(first)
    suite(PASS.replace('value: yes', 'value: maybe').replace('assert', 'expect_fail: true, assert'))
    const ran = await ers(['run', '--against', 'latest', '--summary-md', 'summary.md'])
    expect(ran).toMatchObject({ code: 1 })
    expect(ran.stderr).toContain('1 newly failing')
    expect(readFileSync(join(folder, 'summary.md'), 'utf8')).toContain('**Regressions detected** — 1 newly failing')
  })

  it('keeps what is done when it is interrupted, says how to resume, and resumes', async () => {
    suite(`${PASS}  - {id: stop, vars: {q: SIGINT}, matrix: {n: [1]}}\n${FAIL}`)
    const stopped = await ers(['run', '--format', 'json'])
    expect(stopped.code).toBe(130)
    expect(stopped.stderr).toBe(
      'interrupted: 1 of 3 cells are done. Run the same command again to resume: finished calls come from the cache.\n',
    )
    const document = documentOf(stopped)
    expect(document.cases.map(({ cell }) => cell.test_id)).toEqual(['good'])
    expect(readdirSync(join(folder, '.service', 'runs'))).toEqual([document.run_id])
    expect(readdirSync(join(folder, '.service', 'runs', document.run_id)).sort()).toEqual(['partial', 'result.json'])
    suite(PASS + FAIL)
    expect(documentOf(await ers(['run', '--format', 'json'])).summary).toMatchObject({ cache_hits: 1, cache_misses: 1 })
  })

  it('stores nothing where it is interrupted before a cell is done', async () => {
    suite('  - {id: stop, vars: {q: SIGINT}}\n')
    expect(await ers(['run'])).toMatchObject({ code: 130 })
    expect(existsSync(join(folder, '.service', 'runs'))).toBe(false)
  })

  it('gives its warnings, and needs no credentials of a shared cache', async () => {
    suite(PASS, 'cache: {backend: s3, s3: {bucket: b}}\n')
    const ran = await ers(['run'])
    expect(ran.code).toBe(0)
    expect(ran.stderr).toContain('cache.backend: `s3` is deprecated')
    expect(ran.stderr).toContain('only the local cache is used: cache.s3 needs AWS credentials')
    const without = await ers(['run', '--no-cache'])
    expect(without.code).toBe(0)
    // The id of the run may contain AWS.
    expect(without.stderr).not.toContain('AWS credentials')
  })

  it('resumes from the cache after it was killed', async () => {
    suite(`${PASS}${FAIL}  - {id: kill, vars: {q: SIGKILL}}\n`)
    expect((await ers(['run'])).code).toBeNull()
    suite(PASS + FAIL)
    expect(documentOf(await ers(['run', '--format', 'json'])).summary).toMatchObject({ cache_hits: 2 })
  })

  it('says why cases have errors, each reason once', async () => {
    suite(PASS + FAIL)
    write('file', '')
    const { code, stderr } = await ers(['run', '--cache-dir', 'file'])
    expect(code).toBe(3)
    expect(stderr.match(/cannot be read/g)).toHaveLength(1)
    expect(stderr).toMatch(/error:? 2 cases: .*cannot be read/)
    suite(PASS)
    expect((await ers(['run'])).code).toBe(0)
    const [shard = ''] = readdirSync(join(folder, '.service', 'cache'))
    const [entry = ''] = readdirSync(join(folder, '.service', 'cache', shard))
    const path = join('.service', 'cache', shard, entry)
    write(path, '{"output": 1, "tool_calls": 2}')
    const damaged = await ers(['run'])
    expect(damaged.code).toBe(3)
    expect(damaged.stderr).toMatch(/1 case: the cache entry sha256:[0-9a-f]{64} is damaged: /)
    expect(damaged.stderr).toContain(`delete the file ${join(folder, path)}`)
    expect(damaged.stderr).not.toContain('run document')
  })

  it.runIf(existsSync('/dev/full'))('goes on where its messages cannot be written', async () => {
    suite(PASS)
    const full = openSync('/dev/full', 'w')
    for (const stderr of [full, 'pipe'] as const) {
      const child = spawn(process.execPath, [PROGRAM, 'run', '-v'], {
        cwd: folder,
        env: bareEnvironment(),
        stdio: ['ignore', 'pipe', stderr],
      })
      child.stderr?.destroy()
      const [stdout, ended] = await Promise.all([text(child.stdout!), once(child, 'close')])
      expect(ended).toEqual([0, null])
      expect(stdout).toContain('1 passed')
    }
    closeSync(full)
  })

  it('needs the credentials of the providers that it asks, and names all that are missing', async () => {
    mkdirSync(join(folder, 'vendor'))
    write(
      'vendor/service.yaml',
      'version: 1\nproviders:\n  - {id: a, type: anthropic, model: m}\n  - {id: o, type: openai, model: m, api_key_env: MY_KEY}\ntests:\n  - {id: t}\n',
    )
    const { code, stderr } = await ers(['run', 'vendor'])
    expect(code).toBe(2)
    expect(stderr).toContain('ANTHROPIC_API_KEY')
    expect(stderr).toContain('MY_KEY')
    expect((await ers(['run', 'vendor', '--cache-only'])).code).not.toBe(2)
  })

  it('writes every format, and logs what it does as JSON', async () => {
    suite(PASS)
    const formats = ['table', 'jsonl', 'junit', 'md'].flatMap((name) => ['--format', name])
    const { stdout, stderr } = await ers(['run', ...formats, '-v', '--log-format', 'json', '--color', 'always'])
    for (const part of ['\x1b[32mPASS', '"case_key":', '<testsuite name="refunds"', '### ers run — refunds'])
      expect(stdout).toContain(part)
    const lines = stderr
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { level: string; message: string })
    expect(lines.map(({ level }) => level)).toContain('info')
    expect(lines.some(({ message }) => message.startsWith('pass good'))).toBe(true)
  })
})
