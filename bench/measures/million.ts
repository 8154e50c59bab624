import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { benchDocument } from '../documents.ts'
import { ask, load, median } from '../load.ts'
import type { Print } from '../measures.ts'
import { hideAllBut, hideOnly, readerOf } from '../restrict.ts'
import { startBenchServer, type Server } from '../servers.ts'

const PROGRAM = fileURLToPath(new URL('../../cli/ers.ts', import.meta.url))
const FLOOR_IMPORT = fileURLToPath(new URL('../floor/import.ts', import.meta.url))

/** A million cases by default; a smaller `BENCH_CASES` gives a quicker run. */
const CASES = Number(process.env['BENCH_CASES'] ?? 1_000_000)

/** A thousand run sets. One document in a thousand contains the rare word; all of these are in the first set. */
const SETS = { projects: 5, suites: 200 }
const FIRST_SET = { project: 'project-0', suite: 'suite-0' }
const documentOf = (n: number): string =>
  benchDocument(n, { ...SETS, ...(n % 1000 === 0 ? { rareWord: 'quokka' } : {}) })

const SAMPLE_MS = 500
const STARTS = 3

/**
 * Measures import, size on disk, start, search and rebuild with a million cases, compared with the reference server.
 */
export const million = async (print: Print): Promise<void> => {
  const root = mkdtempSync(join(tmpdir(), 'ers-bench-million-'))
  const folder = (name: string): string => {
    const path = join(root, name)
    mkdirSync(path)
    return path
  }
  try {
    const [source, dataDir, floorDir] = [folder('documents'), folder('service'), folder('floor')]
    for (let n = 0; n < CASES / 100; n++)
      writeFileSync(join(source, `${String(n).padStart(8, '0')}.json.gz`), gzipSync(documentOf(n), { level: 1 }))

    const floorImport = await run([FLOOR_IMPORT, floorDir, source])
    const imported = await run([PROGRAM, 'import', '--data-dir', dataDir, source])
    print(
      `import of ${CASES} cases: service ${describeRun(imported)}, floor in one thread ${describeRun(floorImport)}, ratio ${(floorImport.seconds / imported.seconds).toFixed(2)}`,
    )
    const [early, late] = [fifth(imported.memory, 1), fifth(imported.memory, 4)]
    print(
      `memory of the import, MiB: ${early.toFixed(0)} in the second fifth, ${late.toFixed(0)} in the last, ${Math.max(...imported.memory).toFixed(0)} at most`,
    )
    print(
      `disk per case: service ${(size(dataDir) / CASES).toFixed(0)} bytes, floor ${(size(floorDir) / CASES).toFixed(0)} bytes, ratio ${(size(dataDir) / size(floorDir)).toFixed(2)}`,
    )

    await starts(print, dataDir)
    await searches(print, dataDir, floorDir)

    const rebuilt = await run([PROGRAM, 'rebuild', '--data-dir', dataDir])
    print(
      `rebuild: service ${describeRun(rebuilt)}, ratio to the floor's import ${(floorImport.seconds / rebuilt.seconds).toFixed(2)}`,
    )
  } finally {
    rmSync(root, { recursive: true, force: true })
  }
}

type ProgramRun = { readonly seconds: number; readonly cpu: number; readonly memory: readonly number[] }

/** Runs a program to its end and samples its memory in MiB. */
const run = async (args: readonly string[]): Promise<ProgramRun> => {
  const from = performance.now()
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'pipe'] })
  let errors = ''
  child.stderr.on('data', (text) => void (errors = (errors + String(text)).slice(-2000)))
  const memory: number[] = []
  let cpu = 0
  const sample = setInterval(() => {
    try {
      memory.push(Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1]) / 1024)
      const fields = readFileSync(`/proc/${child.pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
      cpu = (Number(fields[11]) + Number(fields[12])) / 100
    } catch {
      // The program ended between two samples.
    }
  }, SAMPLE_MS)
  const code = await new Promise((resolve) => child.once('close', resolve))
  clearInterval(sample)
  if (code !== 0) throw new Error(`${args.join(' ')} ended with ${String(code)}: ${errors}`)
  return { seconds: (performance.now() - from) / 1000, cpu, memory: memory.filter((mib) => mib > 0) }
}

const describeRun = ({ seconds, cpu }: ProgramRun): string => `${seconds.toFixed(0)} s (${cpu.toFixed(0)} s of CPU)`

/** The median of the n-th fifth of the samples; n starts at 0. */
const fifth = (samples: readonly number[], n: number): number =>
  median(samples.slice(Math.floor((samples.length * n) / 5), Math.max(1, Math.floor((samples.length * (n + 1)) / 5))))

const starts = async (print: Print, dataDir: string): Promise<void> => {
  const times: Record<'empty' | 'full', number[]> = { empty: [], full: [] }
  const idle: number[] = []
  for (let i = 0; i < STARTS; i++) {
    for (const kind of ['empty', 'full'] as const) {
      const from = performance.now()
      const server = await startBenchServer('service', kind === 'full' ? dataDir : undefined)
      await fetch(`${server.url}/api/v1/ready`)
      times[kind].push(performance.now() - from)
      if (kind === 'full') {
        await new Promise((resolve) => setTimeout(resolve, 2000))
        idle.push(server.memory().now)
      }
      await server.stop()
    }
  }
  const [empty, full] = [median(times.empty), median(times.full)]
  print(
    `start to ready: empty ${empty.toFixed(0)} ms, full ${full.toFixed(0)} ms, ratio ${(full / empty).toFixed(2)}; idle memory ${median(idle).toFixed(0)} MiB`,
  )
}

const WORDS = [
  ['rare word', 'quokka', 40],
  ['common word', 'answer', 7],
  ['beginning of a common word', 'answ', 7],
  ['two common words', 'answer model', 7],
  ['rare and common word', 'quokka answer', 7],
  ['no such word', 'zyzzyva', 40],
] as const

/** Medians of alternating rounds, for a viewer who sees everything and for one who sees one run set of a thousand. */
const searches = async (print: Print, dataDir: string, floorDir: string): Promise<void> => {
  hideOnly(dataDir, [])
  const [floor, service] = [await startBenchServer('floor', floorDir), await startBenchServer('service', dataDir)]
  let requestCount = 0
  // Makes every address unique, so that no response comes from a cache. Blanks at the end of a query have no effect.
  const address = (q: string): string => `/api/v1/search?q=${encodeURIComponent(q)}${'+'.repeat(++requestCount)}`
  const time = async (server: Server, q: string, times: number) =>
    (await load(1, times, (agent) => ask(agent, server, address(q)))).p50
  try {
    print('| search | floor, ms | service, ms | ratio | one set of 1000 visible, ms | ratio |')
    print('|---|---|---|---|---|---|')
    for (const [title, q, times] of WORDS) {
      const rounds = { floor: [] as number[], all: [] as number[], oneSet: [] as number[] }
      for (let round = 0; round < 3; round++) {
        rounds.floor.push(await time(floor, q, Math.ceil(times / 3)))
        rounds.all.push(await time(service, q, times))
        hideAllBut(dataDir, [FIRST_SET])
        rounds.oneSet.push(await time(readerOf(service), q, times))
        hideOnly(dataDir, [])
      }
      const [f, all, oneSet] = [median(rounds.floor), median(rounds.all), median(rounds.oneSet)]
      print(
        `| ${title} | ${f.toFixed(1)} | ${all.toFixed(1)} | ${(all / f).toFixed(2)} | ${oneSet.toFixed(1)} | ${(oneSet / f).toFixed(2)} |`,
      )
    }
  } finally {
    await service.stop()
    await floor.stop()
  }
}

const size = (folder: string): number =>
  readdirSync(folder).reduce((sum, file) => sum + statSync(join(folder, file)).size, 0)
