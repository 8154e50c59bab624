import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Measure } from '../measures.ts'
import { makeEvalFiles } from './inspect-files.ts'
import { writeDatabase, writeJson } from './promptfoo-sources.ts'
import { importWhole, type Imported } from './whole-import.ts'

const CASES = Number(process.env['BENCH_IMPORT_CASES'] ?? 100_000)
const CASES_EACH = 2_000
const FILES = Number(process.env['BENCH_FILES'] ?? 2_000)
const JSON_MIB = Number(process.env['BENCH_IMPORT_MIB'] ?? 1_024)

/**
 * The whole of `ers import` into a state directory: a database of promptfoo (5,000 cases/s, 400 MiB), the same again (2,000
 * known runs/s), logs of Inspect (150/s, 300 MiB), and one JSON file (30 MiB/s, 300 MiB).
 */
export const importEndToEnd: Measure = async (print) => {
  const folder = mkdtempSync(join(tmpdir(), 'bench-import-'))
  const into = ['--data-dir', join(folder, 'state')]
  const line = (what: string, count: number, unit: string, { seconds, peakMiB }: Imported) =>
    print(
      `${what}: ${(count / seconds).toFixed(0)} ${unit}/s, ${seconds.toFixed(1)} s, ${peakMiB.toFixed(0)} MiB at most`,
    )
  try {
    const database = join(folder, 'promptfoo.db')
    writeDatabase(database, Math.ceil(CASES / CASES_EACH), CASES_EACH, 500)
    line('database', CASES, 'cases', await importWhole(database, ...into))
    line('database, known', Math.ceil(CASES / CASES_EACH), 'runs', await importWhole(database, ...into))
    const logs = join(folder, 'logs')
    await makeEvalFiles(logs, FILES)
    line('logs', FILES, 'files', await importWhole(logs, ...into))
    const known = await importWhole(logs, ...into)
    line('logs, known', FILES, 'files', known)
    const seconds = known.seconds - (await startOf(folder, into))
    line('logs, known, without the start of the command', FILES, 'files', { ...known, seconds })
    const json = join(folder, 'results.json')
    await writeJson(json, JSON_MIB * 1024 * 1024, 400_000)
    line('JSON', JSON_MIB, 'MiB', await importWhole(json, ...into))
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** The seconds that the command takes for a folder without results: it loads, opens the store and starts its threads. */
const startOf = async (folder: string, into: readonly string[]): Promise<number> => {
  const empty = join(folder, 'empty')
  mkdirSync(empty)
  writeFileSync(join(empty, 'no-results.json'), '{}')
  return (await importWhole(empty, ...into)).seconds
}
