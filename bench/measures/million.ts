import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import { benchDocument } from '../documents.ts'
import { ask, load } from '../load.ts'
import type { Say } from '../measures.ts'
import { startBenchServer } from '../servers.ts'

const PROGRAM = fileURLToPath(new URL('../../cli/ers.ts', import.meta.url))

/** A million cases by default; `BENCH_CASES` makes it smaller for a quick look. */
const CASES = Number(process.env['BENCH_CASES'] ?? 1_000_000)

/** Import, size on disk, start, search and rebuild at a million cases, each beside the yardstick. */
export const million = async (say: Say): Promise<void> => {
  const root = mkdtempSync(join(tmpdir(), 'ers-bench-million-'))
  const run = promisify(execFile)
  const count = CASES / 100
  try {
    const source = join(root, 'documents')
    mkdirSync(source)
    for (let n = 0; n < count; n++) writeFileSync(join(source, `${String(n).padStart(8, '0')}.json.gz`), gzipSync(benchDocument(n, n % 1000 === 0 ? { rareWord: 'quokka' } : {}), { level: 1 }))

    const dataDir = join(root, 'service')
    mkdirSync(dataDir)
    const imported = performance.now()
    await run(process.execPath, [PROGRAM, 'import', '--data-dir', dataDir, source], { maxBuffer: 1 << 26 })
    const importSeconds = (performance.now() - imported) / 1000

    const floorDir = join(root, 'floor')
    mkdirSync(floorDir)
    const floor = await startBenchServer('floor', floorDir)
    const cpu = floor.cpu()
    await load(1, count, (agent, n) => ask(agent, floor, '/api/v1/runs', { method: 'POST', body: Buffer.from(benchDocument(n, n % 1000 === 0 ? { rareWord: 'quokka' } : {})) }))
    const floorSeconds = floor.cpu() - cpu
    say(`import of ${CASES} cases: service ${importSeconds.toFixed(0)} s, floor ${floorSeconds.toFixed(0)} s of one core, ratio ${(floorSeconds / importSeconds).toFixed(2)}`)
    say(`disk per case: service ${(size(dataDir) / CASES).toFixed(0)} bytes, floor ${(size(floorDir) / CASES).toFixed(0)} bytes, ratio ${(size(dataDir) / size(floorDir)).toFixed(2)}`)

    const empty = performance.now()
    const bare = await startBenchServer('service')
    const emptyMs = performance.now() - empty
    await bare.stop()
    const full = performance.now()
    const service = await startBenchServer('service', dataDir)
    const fullMs = performance.now() - full
    say(`start to listening: empty ${emptyMs.toFixed(0)} ms, full ${fullMs.toFixed(0)} ms, ratio ${(fullMs / emptyMs).toFixed(2)}; idle memory ${service.memory().now.toFixed(0)} MiB`)

    for (const [kind, word] of [['rare', 'quokka'], ['common', 'answer']] as const) {
      const f = await load(1, kind === 'rare' ? 50 : 5, (agent) => ask(agent, floor, `/api/v1/search?q=${word}`))
      const s = await load(1, kind === 'rare' ? 50 : 10, (agent) => ask(agent, service, `/api/v1/search?q=${word}`))
      say(`search, ${kind} word: floor ${f.p50.toFixed(1)} ms, service ${s.p50.toFixed(1)} ms, ratio ${(s.p50 / f.p50).toFixed(2)}`)
    }
    await service.stop()
    await floor.stop()

    const rebuilt = performance.now()
    await run(process.execPath, [PROGRAM, 'rebuild', '--data-dir', dataDir], { maxBuffer: 1 << 26 })
    const rebuildSeconds = (performance.now() - rebuilt) / 1000
    say(`rebuild: ${rebuildSeconds.toFixed(0)} s, ratio to the floor's ingest ${(floorSeconds / rebuildSeconds).toFixed(2)}`)
  } finally {
    rmSync(root, { recursive: true, force: true })
  }
}

const size = (folder: string): number => readdirSync(folder).reduce((sum, file) => sum + statSync(join(folder, file)).size, 0)
