import { spawnSync } from 'node:child_process'
import { mkdtempSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { benchDocument } from '../documents.ts'
import { ask, load } from '../load.ts'
import type { Print } from '../measures.ts'
import { hideOnly, readerOf } from '../restrict.ts'
import { startBenchServer, type Server } from '../servers.ts'

const PROGRAM = fileURLToPath(new URL('../../cli/ers.ts', import.meta.url))

/** A million cases by default, in a thousand suites; a smaller `BENCH_CASES` gives a quicker run. */
const CASES = Number(process.env['BENCH_CASES'] ?? 1_000_000)
const SETS = { projects: 5, suites: 200, bytesPerCase: 300, branch: 'main' }
/** One suite more, with the grid that is measured. */
const GRID = { runs: 50, cases: 200 }
const GRID_PATH = '/api/v1/projects/wide/suites/wide/grid'
const READS = 200

/** Measures the overview of a thousand suites, for an admin and for a viewer of half of them, and the grid of a suite. */
export const attention = async (print: Print): Promise<void> => {
  const root = mkdtempSync(join(tmpdir(), 'ers-bench-attention-'))
  const [source, dataDir] = [join(root, 'documents'), join(root, 'service')]
  try {
    mkdirSync(source)
    mkdirSync(dataDir)
    const write = (name: string, text: string): void =>
      writeFileSync(join(source, `${name}.json.gz`), gzipSync(text, { level: 1 }))
    for (let n = 0; n < CASES / 100; n++) write(String(n).padStart(8, '0'), benchDocument(n, SETS))
    for (let n = 0; n < GRID.runs; n++) write(`wide-${n}`, wideDocument(CASES / 100 + n))
    const { status, stderr } = spawnSync(process.execPath, [PROGRAM, 'import', '--data-dir', dataDir, source])
    if (status !== 0) throw new Error(`the import ended with ${status}: ${String(stderr).slice(-2000)}`)

    const hidden = Array.from({ length: 500 }, (_, n) => ({
      project: `project-${n % 5}`,
      suite: `suite-${Math.floor(n / 5)}`,
    }))
    hideOnly(dataDir, hidden)
    print('| overview of 1,000 suites | cold, ms | warm, p50 / p99, ms | the same again, p50 / p99, ms |')
    print('|---|---|---|---|')
    for (const [title, viewer] of [
      ['admin', (server: Server) => server],
      ['viewer of half of them', readerOf],
    ] as const) {
      const server = await startBenchServer('service', dataDir)
      try {
        const [cold, ...others] = await overviews(viewer(server))
        const times = others.map(({ p50, p99 }) => `${p50.toFixed(1)} / ${p99.toFixed(1)}`)
        print(`| ${title} | ${cold.toFixed(0)} | ${times.join(' | ')} |`)
      } finally {
        await server.stop()
      }
    }
    const server = await startBenchServer('service', dataDir)
    try {
      await load(1, 20, (agent, n) => ask(agent, server, `${GRID_PATH}?limit=${400 + n}`))
      print(`| grid of ${GRID.runs} runs and ${GRID.cases} cases | p50, ms | p95, ms |`)
      print('|---|---|---|')
      for (const order of ['changed', 'flaky', 'failing', 'name', 'failing&fold=test'])
        print(`| by ${order} | ${(await gridTimes(server, order)).map((ms) => ms.toFixed(1)).join(' | ')} |`)
    } finally {
      await server.stop()
    }
  } finally {
    rmSync(root, { recursive: true, force: true })
  }
}

const wideDocument = (n: number): string =>
  JSON.stringify({
    ...(JSON.parse(benchDocument(n, { ...SETS, cases: GRID.cases })) as object),
    project: 'wide',
    suite: 'wide',
  })

const overviews = async (server: Server) => {
  const cold = await load(1, 1, (agent) => ask(agent, server, '/api/v1/overview'))
  // Each request has a cursor of its own, which selects the first page.
  const warm = await load(1, READS, (agent, n) => ask(agent, server, `/api/v1/overview?cursor=none-${n}`))
  return [cold.p50, warm, await load(1, READS, (agent) => ask(agent, server, '/api/v1/overview'))] as const
}

/** The median and the 95th percentile. No response is cached: each request has a cursor of its own, which selects the first page. */
const gridTimes = async (server: Server, order: string): Promise<number[]> => {
  const times: number[] = []
  await load(1, READS, async (agent, n) => {
    const answer = await ask(agent, server, `${GRID_PATH}?order=${order}&limit=200&cursor=none-${n}`)
    times.push(answer.ms)
    return answer
  })
  times.sort((a, b) => a - b)
  return [0.5, 0.95].map((part) => times[Math.floor(times.length * part)] ?? 0)
}
