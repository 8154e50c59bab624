import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openService } from '../../cli/open-service.ts'
import { CLI } from '../../queries/viewer.ts'
import { benchDocument } from '../documents.ts'
import { ask, load } from '../load.ts'
import type { Say } from '../measures.ts'
import { startBenchServer } from '../servers.ts'

const SIZES = [1_000, 10_000, 100_000]

const QUERIES = [
  '', 'project=project-1', 'suite=suite-2', 'project=project-1&suite=suite-2', 'tag=nightly', 'branch=main', 'branch=feature-3', 'status=pass', 'status=fail', 'status=error',
  'origin=ci', 'origin=local', 'actor=actor-3', 'actor=admin', 'cached=only', 'since=1704067200000', 'until=1704100000000', 'project=none',
]

/** Every filter of the run list, 50 rows, at growing numbers of runs: an index serves each, so none should grow. */
export const filters = async (say: Say): Promise<void> => {
  const dataDir = mkdtempSync(join(tmpdir(), 'ers-bench-filters-'))
  const table = new Map<string, number[]>(QUERIES.map((query) => [query, []]))
  let made = 0
  try {
    for (const size of SIZES) {
      const service = await openService({ dataDir })
      while (made < size) {
        const batch = Array.from({ length: Math.min(200, size - made) }, () => new Uint8Array(Buffer.from(benchDocument(made++, { cases: 1, bytesACase: 200 }))))
        await Promise.all(batch.map((body) => service.commit('ingestRun', CLI, { body, encoding: null })))
      }
      await service.close()
      const server = await startBenchServer('service', dataDir)
      for (const query of QUERIES) {
        // A cursor of its own each time, so that no cache answers.
        const { p50 } = await load(1, 60, (agent, n) => ask(agent, server, `/api/v1/runs?${query}${query === '' ? '' : '&'}limit=50&cursor=x${n}`))
        table.get(query)?.push(p50)
      }
      await server.stop()
    }
  } finally {
    rmSync(dataDir, { recursive: true, force: true })
  }
  say(`| filter | ${SIZES.map((size) => `${size / 1000}k runs, p50 ms`).join(' | ')} | largest to smallest |`)
  say(`|---|${SIZES.map(() => '---|').join('')}---|`)
  for (const [query, times] of table) say(`| ${query === '' ? '(none)' : query} | ${times.map((ms) => ms.toFixed(2)).join(' | ')} | ${((times.at(-1) ?? 0) / (times[0] ?? 1)).toFixed(2)} |`)
}
