import { spawn } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { median } from '../../load.ts'
import type { Print } from '../../measures.ts'
import { startInstantApi } from './instant-api.ts'

const CELLS = 10_000
const PROGRAMS = 600
const ROUNDS = 3

/**
 * The program that is measured: the sources, or `BENCH_SERVICE`. `BENCH_PEER_ENGINE` names another engine of the same
 * command line, measured after it; `BENCH_PEER_PREFIX` is the prefix of its variables.
 */
const ENGINES: readonly Engine[] = [
  {
    name: 'ers',
    command: [
      process.execPath,
      process.env['BENCH_SERVICE'] ?? fileURLToPath(new URL('../../../cli/ers.ts', import.meta.url)),
    ],
  },
  ...(process.env['BENCH_PEER_ENGINE'] ? [{ name: 'peer', command: [process.env['BENCH_PEER_ENGINE']] }] : []),
]

type Engine = { readonly name: string; readonly command: readonly string[] }
type Ended = {
  readonly seconds: number
  readonly peakMib: number
  readonly code: number | null
  readonly stdout: string
}

/** Speed and memory of `ers run`, `ers validate` and `ers --help`, each a whole process from start to exit. */
export const engine = async (print: Print): Promise<void> => {
  const directory = await mkdtemp(join(tmpdir(), 'bench-engine-'))
  const api = await startInstantApi()
  try {
    await writeFile(join(directory, 'cells.yaml'), cellsSuite(api.url))
    await writeFile(join(directory, 'programs.yaml'), programsSuite())
    await writeFile(join(directory, 'bot.sh'), `#!/bin/sh\necho '{"output":"Hello, 30 days."}'\n`)

    for (const { name, command } of ENGINES) {
      const run = (args: readonly string[]): Promise<Ended> => runProcess(command, args, directory)
      const cells = ['run', 'cells.yaml', '--no-progress', '--format', 'json', '--out', `${name}.json`]

      const uncached: Ended[] = []
      for (let round = 0; round < ROUNDS; round++) uncached.push(await run([...cells, '-j', '32', '--no-cache']))
      report(print, `${name}: ${CELLS} cells over HTTP at concurrency 32, nothing cached`, CELLS, uncached)

      const filling = await run([...cells, '-j', '32', '--cache-dir', `cache-${name}`])
      report(print, `${name}: the same, and the cache is written`, CELLS, [filling])

      const before = api.calls()
      const cached: Ended[] = []
      for (let round = 0; round < ROUNDS; round++)
        cached.push(await run([...cells, '-j', '32', '--cache-dir', `cache-${name}`]))
      report(
        print,
        `${name}: the same again, every response from the cache (${api.calls() - before} calls sent)`,
        CELLS,
        cached,
      )

      const programs: Ended[] = []
      for (let round = 0; round < ROUNDS; round++)
        programs.push(
          await run([
            'run',
            'programs.yaml',
            '--no-progress',
            '--no-cache',
            '-j',
            '4',
            '--format',
            'json',
            '--out',
            `${name}.json`,
          ]),
        )
      report(print, `${name}: ${PROGRAMS} programs at concurrency 4`, PROGRAMS, programs)

      const validated: Ended[] = []
      for (let round = 0; round < ROUNDS; round++) validated.push(await run(['validate', 'cells.yaml']))
      print(
        `${name}: validate of ${CELLS} tests: ${median(validated.map(({ seconds }) => seconds * 1000)).toFixed(0)} ms (exit ${codes(validated)})`,
      )

      const helped: Ended[] = []
      for (let round = 0; round < 7; round++) helped.push(await run(['--help']))
      print(`${name}: --help: ${median(helped.map(({ seconds }) => seconds * 1000)).toFixed(0)} ms`)
    }
    print(`calls sent in all: ${api.calls()}`)
  } finally {
    await api.close()
    await rm(directory, { recursive: true, force: true })
  }
}

const codes = (ended: readonly Ended[]): string => [...new Set(ended.map(({ code }) => String(code)))].join(', ')

const report = (print: Print, what: string, cells: number, ended: readonly Ended[]): void => {
  const seconds = median(ended.map((one) => one.seconds))
  const peak = Math.max(...ended.map(({ peakMib }) => peakMib))
  print(
    `${what}: ${(cells / seconds).toFixed(0)}/s (${seconds.toFixed(2)} s, memory ${peak.toFixed(0)} MiB at most, exit ${codes(ended)})`,
  )
}

const cellsSuite = (url: string): string => `version: 1
project: bench
suite: cells
providers:
  - {id: chat, type: openai, model: m-chat, base_url: "${url}", request: {auth: none}}
prompts:
  - {id: ask, template: "How long can I return order {{ order }}?"}
tests:
${Array.from({ length: CELLS }, (_, n) => `  - {id: "order/${n}", vars: {order: "A-${n}"}, assert: [{type: icontains, value: 30 days}, {type: not-contains, value: sorry}]}`).join('\n')}
`

const programsSuite = (): string => `version: 1
project: bench
suite: programs
providers:
  - {id: bot, type: exec, command: [/bin/sh, bot.sh]}
tests:
${Array.from({ length: PROGRAMS }, (_, n) => `  - {id: "order/${n}", vars: {order: "A-${n}"}, assert: [{type: icontains, value: 30 days}]}`).join('\n')}
`

/** Runs a process to its end. Memory is the peak of its resident set, as the kernel counts it (Linux). */
const runProcess = (command: readonly string[], args: readonly string[], directory: string): Promise<Ended> =>
  new Promise((resolve, reject) => {
    const from = performance.now()
    const [program = '', ...first] = command
    const child = spawn(program, [...first, ...args], { cwd: directory, stdio: ['ignore', 'pipe', 'pipe'] })
    let stdout = ''
    let stderr = ''
    let peakMib = 0
    const watch = setInterval(() => {
      readFile(`/proc/${child.pid}/status`, 'utf8').then(
        (text) => {
          peakMib = Math.max(peakMib, Number(/VmHWM:\s+(\d+)/.exec(text)?.[1] ?? 0) / 1024)
        },
        // The process has ended, or this system has no such file.
        () => undefined,
      )
    }, 50)
    child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text))
    child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text))
    child.on('error', reject)
    child.on('close', (code) => {
      clearInterval(watch)
      if (code !== 0) console.error(stderr.slice(0, 2000))
      resolve({ seconds: (performance.now() - from) / 1000, peakMib, code, stdout })
    })
  })
