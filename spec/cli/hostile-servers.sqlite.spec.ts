import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { Command } from 'commander'
import { afterAll, describe, expect, it } from 'vitest'
import { COMMANDS } from '../../cli/commands.ts'
import { TOOLS } from '../../cli/fetch/tools.ts'
import { keyOfSeed } from '../../runtime/proof/keys.ts'
import { bareEnvironment } from '../support/bare-environment.ts'
import { engineCase, engineRun } from '../support/documents/engine-run.ts'
import { digestOf, manifestOf } from '../support/documents/parts.ts'
import type { CommandResult } from '../support/hostile/run-commands.ts'
import { FORGED, HOSTILE, hostileServer, TARGET } from '../support/hostile/servers.ts'
import { startServer } from '../support/servers/server.ts'

// Whatever is at the address of a service: no command takes it for an answer, stores it, fills the memory with it, or lets
// it reach a terminal as it is.

const KEY = `sha256:${'0'.repeat(64)}`
/** A verifier key of no log that exists. */
const { vkey: VKEY } = keyOfSeed('log.example', Buffer.alloc(32, 7))

/** The arguments of every command that talks to a server, by its name. `url` is its address. */
const talking = (url: string): Readonly<Record<string, readonly string[][]>> => ({
  import: [
    ['import', 'run.json'],
    ['import', 'run.json', '--receipts', 'kept'],
    ['import', 'junit.xml', '--verify', '--replace'],
  ],
  fetch: [...TOOLS.keys()].map((tool) => ['fetch', tool, '--url', url, '--out', `kept/${tool}`]),
  export: [
    ['export', 'r', '-o', 'kept/document.json'],
    ['export', 'r', '-o', 'kept/run.csv', '--format', 'csv'],
    ['export', 'r', '-o', 'kept/run.parquet', '--format', 'parquet'],
    ['export', 'r'],
    ['export', '--all', '--out-dir', 'kept'],
    ['export', 'r', '--with-parts', '--out-dir', 'kept'],
  ],
  receipt: [
    ['receipt', 'r'],
    ['receipt', 'r', '--out', 'kept'],
  ],
  delete: [['delete', 'r']],
  erase: [['erase', '--run', 'r', '--reference', 'T-1']],
  'hold place': [['hold', 'place', '--run', 'r', '--reference', 'T-1']],
  'hold lift': [['hold', 'lift', 'h', '--reference', 'T-1']],
  'hold list': [['hold', 'list']],
  'review open': [
    [
      'review',
      'open',
      '--project',
      'p',
      '--suite',
      's',
      '--rubric',
      'b',
      '--run',
      'r',
      '--reviewer',
      'ann',
      '--random',
      '1',
    ],
  ],
  'review list': [['review', 'list']],
  'review close': [['review', 'close', 'q']],
  'labels import': [['labels', 'import', 'run.json', '--from', 'csv', '--rubric', 'r', '--run', 'run']],
  'labels export': [['labels', 'export', 'q', '-o', 'kept/labels.csv']],
  monitor: [['monitor', `${url}/api/v1/log`, '--once', '--dir', 'monitor', '--key', VKEY]],
  retention: [['retention', '--now']],
  run: [['run', 'service.yaml', '--against', 'server:baseline', '--share']],
  runs: [
    ['runs', '--remote'],
    ['runs', '--remote', '--json'],
  ],
  diff: [
    ['diff', 'server:baseline', 'run.json'],
    ['diff', 'server:branch:main', 'run.json'],
  ],
  share: [
    ['share', 'run.json', '--strict'],
    ['share', 'whole/result.json', '--strict'],
  ],
  annotate: [['annotate', 'r', '--title', 'A title', '--tag', 'a', '--untag', 'b']],
  comment: [['comment', 'r', 'A text', '--case', 'c']],
  'share-html': [['share-html', 'r', '-o', 'kept/page.html']],
  'baseline show': [['baseline', 'show', 'service.yaml']],
  'baseline set': [['baseline', 'set', 'r', '--path', 'service.yaml']],
  'baseline clear': [['baseline', 'clear', 'service.yaml']],
  'plan register': [['plan', 'register', 'run.json', '--project', 'p', '--suite', 's']],
  'plan reveal': [['plan', 'reveal', 'p', 'run.json']],
  'plan withdraw': [['plan', 'withdraw', 'p']],
  'plan list': [
    ['plan', 'list'],
    ['plan', 'list', '--json'],
  ],
  'ci-summary': [['ci-summary', 'run.json', '--against', 'server:baseline']],
  gate: [
    ['gate', 'r'],
    ['gate', 'r', '--json'],
  ],
  calibration: [
    ['calibration', 'r'],
    ['calibration', 'r', '--against', 'r', '--json'],
  ],
  'cache stats': [['cache', 'stats']],
  'cache ls': [['cache', 'ls']],
  'cache show': [['cache', 'show', KEY]],
  'cache get': [['cache', 'get', KEY, '-o', 'kept/entry']],
  'cache put': [['cache', 'put', KEY, 'run.json']],
  'cache prune': [['cache', 'prune', '--kind', 'judge']],
  healthcheck: [['healthcheck', '--url', url]],
})

/** Commands that talk to no server: to files, stores and programs of this machine. */
const LOCAL = new Set(
  'validate, list, schema, serve, delete-webhooks, rebuild, verify, check-receipt, backup, restore, compact, move-documents, parts sweep, doctor, migrate, migrate-schema, distribute, audit, log keygen, log key, log export, init, convert promptfoo, view, cache path, cache gc, cache clear, power'.split(
    ', ',
  ),
)
afterAll(() => rmSync(folder, { recursive: true }))

const DRIVER = fileURLToPath(new URL('../support/hostile/run-commands.ts', import.meta.url))

const run = async (
  url: string,
  token = 'secret',
  commands: readonly string[][] = Object.values(talking(url)).flat(),
): Promise<readonly CommandResult[]> => {
  rmSync(join(folder, 'kept'), { recursive: true, force: true })
  rmSync(join(folder, 'monitor'), { recursive: true, force: true })
  mkdirSync(join(folder, 'kept'))
  const [input, output] = ['input.json', 'output.json'].map((name) => join(folder, name)) as [string, string]
  writeFileSync(input, JSON.stringify(commands))
  await promisify(execFile)(process.execPath, [DRIVER, input, output], {
    cwd: folder,
    env: {
      ...bareEnvironment(),
      SERVICE_SERVER_URL: url,
      SERVICE_TOKEN: token,
      SERVICE_PROVENANCE: 'off',
      NO_COLOR: '1',
      LANGFUSE_PUBLIC_KEY: 'p',
      LANGFUSE_SECRET_KEY: 's',
      LANGSMITH_API_KEY: 'k',
      BRAINTRUST_API_KEY: 'k',
      OPENAI_API_KEY: 'k',
    },
  })
  return JSON.parse(readFileSync(output, 'utf8')) as CommandResult[]
}

/** All that a terminal would obey, but line breaks and tabs. */
const CONTROL = /[\0-\x08\x0B-\x1F\x7F-\x9F\u202A-\u202E\u2066-\u2069]/

/** The files that commands keep, but for those that say how far a fetch is. */
const kept = (): string[] =>
  readdirSync(join(folder, 'kept'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name !== 'fetch-state')
    .map(({ name }) => name)

/** The most that a command may need, in MiB: much less than what the servers send. */
const MAX_MEMORY = 512

const leavesOf = (command: Command, path: string): string[] =>
  command.commands.length === 0
    ? [path]
    : command.commands.flatMap((child) => leavesOf(child, `${path} ${child.name()}`))
const folder = mkdtempSync(join(tmpdir(), 'ers-hostile-'))
writeFileSync(join(folder, 'run.json'), JSON.stringify(engineRun('r', [engineCase('t')])))
writeFileSync(join(folder, 'junit.xml'), '<testsuite name="s"><testcase name="t" classname="c"/></testsuite>')
// With evidence, which is sent first.
const PART = Buffer.from('a part')
const MANIFEST = manifestOf([{ bytes: PART, role: 'output', case_key: engineCase('t').case_key }])
const partFolder = join(folder, 'whole/parts', digestOf(PART).slice(0, 2))
mkdirSync(partFolder, { recursive: true })
writeFileSync(join(partFolder, digestOf(PART)), PART)
writeFileSync(join(folder, 'whole/manifest-0.json'), MANIFEST)
writeFileSync(
  join(folder, 'whole/result.json'),
  JSON.stringify({ ...engineRun('whole', [engineCase('t')]), evidence_manifest: digestOf(MANIFEST) }),
)
writeFileSync(join(folder, 'bot.mjs'), `console.log(JSON.stringify({ output: 'free' }))`)
writeFileSync(
  join(folder, 'service.yaml'),
  `version: 1
project: support-desk
suite: refunds
providers: [{id: bot, type: exec, command: ["${process.execPath}", bot.mjs]}]
tests: [{id: t, assert: [{type: contains, value: free}]}]
cache: {backend: layered}
`,
)

it('every command is listed as one that talks to a server, or one that does not', async () => {
  const known = [...Object.keys(talking('http://a.test')), ...LOCAL].toSorted()
  const all = await Promise.all(COMMANDS.map(async ({ name, load }) => leavesOf(await load(), name)))
  expect(all.flat().toSorted()).toEqual(known)
})

/** A summary has a note in place of the comparison. An empty object is an empty list of MLflow. No suite, no baseline. */
const mayEndWell = ({ args: [name, part = ''] }: CommandResult, kind: string): boolean =>
  name === 'ci-summary' ||
  (kind === 'other JSON' && part === 'mlflow') ||
  (kind === 'not found, with control characters' && name === 'baseline' && part !== 'set')

it.each(Object.entries(HOSTILE))('in place of a service %s is an error of every command', async (kind, listener) => {
  const server = await hostileServer(listener)
  try {
    // What never ends is read up to its limit, which takes its time. So each command is tried once with it.
    const isEndless = /^(?:an )?endless/.test(kind)
    const commands = Object.values(talking(server.url)).flatMap((tries) => (isEndless ? tries.slice(0, 1) : tries))
    const results = await run(server.url, 'secret', commands)
    expect(results.filter((result) => result.code === 0 && !mayEndWell(result, kind))).toEqual([])
    expect(results.filter(({ code, stderr }) => code !== 0 && stderr.trim() === '')).toEqual([])
    expect(results.filter(({ stdout, stderr }) => CONTROL.test(stdout + stderr))).toEqual([])
    expect(results.filter(({ stdout, stderr }) => /internal error|<script>|^ +at /m.test(stdout + stderr))).toEqual([])
    expect(kept()).toEqual([])
    expect(results.at(-1)?.memory).toBeLessThan(MAX_MEMORY)
    if (kind === 'a redirect')
      expect(results.filter(({ code, stderr }) => code !== 0 && !stderr.includes(TARGET))).toEqual([])
  } finally {
    await server.close()
  }
})

describe('names with control characters, which a service stores as they are', () => {
  it('are escaped in what every command prints on a terminal', async () => {
    const server = await startServer()
    try {
      const headers = { authorization: `Bearer ${server.token}`, 'content-type': 'application/json' }
      const id = `r${FORGED}`
      for (const [run_id, status] of [
        ['r', 'pass'],
        [id, 'fail'],
      ] as const) {
        const document = engineRun(run_id, [engineCase('t', { name: FORGED, output: FORGED, error: FORGED, status })], {
          git: { branch: FORGED, dirty: false },
          origin: { note: FORGED, actor: FORGED },
        })
        const response = await fetch(`${server.url}/api/v1/runs`, {
          method: 'POST',
          headers,
          body: JSON.stringify(document),
        })
        expect([response.status, await response.text()]).toEqual([201, expect.any(String)])
      }
      const isLast = ([name = '']: readonly string[]): boolean => ['delete', 'erase', 'retention'].includes(name)
      const isFirst = (args: readonly string[]): boolean => args.join(' ').startsWith('baseline set')
      const order = (args: readonly string[]): number => (isFirst(args) ? 0 : isLast(args) ? 2 : 1)
      const all = Object.values(talking(server.url))
        .flat()
        .filter(([name]) => name !== 'fetch')
        .toSorted((a, b) => order(a) - order(b))
      const named = all.map((args) => args.map((part) => (part === 'r' ? id : part)))
      const results = await run(server.url, server.token, [...all, ...named])
      expect(results.filter(({ stdout, stderr }) => CONTROL.test(stdout + stderr))).toEqual([])
      expect(results.filter(({ stdout, stderr }) => /^forged line/m.test(stdout + stderr))).toEqual([])
      // They did what they are for, so that there was something to escape.
      const printing = results.filter(({ stdout }) => stdout !== '').map(({ args }) => args[0])
      expect(printing).toEqual(expect.arrayContaining(['runs', 'export', 'gate', 'hold', 'diff', 'receipt']))
      expect(results.map(({ stdout }) => stdout).join('')).toContain('\\u001b]0;owned')
    } finally {
      await server.stop()
    }
  })
})
