import { spawn } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import Database from 'better-sqlite3'
import { benchDocument } from '../documents.ts'
import { fillStore } from '../fill-store.ts'
import { ask, load, median } from '../load.ts'
import type { Print } from '../measures.ts'
import { ROUNDS } from '../contenders.ts'
import { startBenchServer } from '../servers.ts'

const RUNS = Number(process.env['BENCH_RUNS'] ?? 4000)
const UPLOADERS = 16
const CASES = 20

const PROGRAM = process.env['BENCH_SERVICE'] ?? fileURLToPath(new URL('../../cli/ers.ts', import.meta.url))

/**
 * Uploads with 16 clients in turns, alone and while a backup is made, and counts the uploads per second. Then looks for each run that
 * was acknowledged before a backup began in that backup. No cached response is measured.
 */
export const backup = async (print: Print): Promise<void> => {
  const root = mkdtempSync(join(tmpdir(), 'ers-bench-backup-'))
  const dataDir = join(root, 'data')
  await fillStore(dataDir, RUNS, (n) => benchDocument(n, { cases: CASES }))
  const server = await startBenchServer('service', dataDir, {}, PROGRAM)
  try {
    const mebibytes = (statSync(join(dataDir, 'service.db')).size / 2 ** 20).toFixed(0)
    print(`A store of ${RUNS} runs, ${mebibytes} MiB.\n`)
    print(
      '| backup s | uploads meanwhile | per second, alone | per second, meanwhile | ratio | acknowledged before, missing |',
    )
    print('|---|---|---|---|---|---|')
    const acknowledged: number[] = []
    let n = RUNS
    /** Uploads until `isOver`, and returns how many were acknowledged, and how many in a second. */
    const uploadUntil = async (isOver: () => boolean): Promise<{ readonly count: number; readonly rate: number }> => {
      const from = performance.now()
      let count = 0
      await load(UPLOADERS, Number.POSITIVE_INFINITY, async (agent) => {
        if (isOver()) throw new Error('over')
        const own = n++
        const answer = await ask(agent, server, '/api/v1/runs', {
          method: 'POST',
          body: Buffer.from(benchDocument(own, { cases: CASES })),
        })
        if (answer.status !== 201) throw new Error(`an upload got ${answer.status}`)
        acknowledged.push(own)
        count++
        return answer
      }).catch((error: unknown) => {
        if (!(error instanceof Error) || error.message !== 'over') throw error
      })
      return { count, rate: (count * 1000) / (performance.now() - from) }
    }
    const ratios: number[] = []
    for (let round = 0; round < ROUNDS; round++) {
      const folder = join(root, `backups-${round}`)
      let isDone = false
      const before = [...acknowledged]
      const from = performance.now()
      const child = spawn(process.execPath, [PROGRAM, 'backup', folder, '--data-dir', dataDir], {
        stdio: ['ignore', 'ignore', 'inherit'],
      })
      child.once('exit', (code) => {
        if (code !== 0) throw new Error(`the backup ended with ${code}`)
        isDone = true
      })
      const during = await uploadUntil(() => isDone)
      const seconds = (performance.now() - from) / 1000
      const end = performance.now() + seconds * 1000
      const alone = await uploadUntil(() => performance.now() > end)
      const missing = missingIn(folder, before)
      ratios.push(during.rate / alone.rate)
      print(
        `| ${[seconds.toFixed(1), during.count, alone.rate.toFixed(0), during.rate.toFixed(0), (during.rate / alone.rate).toFixed(2), missing].join(' | ')} |`,
      )
      rmSync(folder, { recursive: true })
    }
    print(`\nMedian of the ratios: ${median(ratios).toFixed(2)}`)
  } finally {
    await server.stop()
    rmSync(root, { recursive: true, force: true })
  }
}

/** How many of these documents are not in the backup of a folder. */
const missingIn = (folder: string, acknowledged: readonly number[]): number => {
  const name = readdirSync(folder).find((entry) => entry.startsWith('backup-')) ?? ''
  const database = new Database(join(folder, name, 'service.db'), { readonly: true })
  try {
    const kept = new Set(database.prepare('SELECT id FROM runs').pluck().all())
    return acknowledged.filter(
      (n) => !kept.has((JSON.parse(benchDocument(n, { cases: 1 })) as { run_id: string }).run_id),
    ).length
  } finally {
    database.close()
  }
}
