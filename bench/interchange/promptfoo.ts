import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Measure } from '../measures.ts'
import { writeDatabase, writeJson } from './promptfoo-sources.ts'

const CONVERT = fileURLToPath(new URL('convert.ts', import.meta.url))
const CASES_EACH = 2_000
const MIB = 1024 * 1024

type Converted = {
  readonly cases: number
  readonly seconds: number
  readonly cpuSeconds: number
  readonly rssMiB: number
  readonly refused: readonly string[]
}

/** Converts a file in a process of its own. Throws if a run was refused. */
const convertApart = (path: string): Converted => {
  const found = JSON.parse(execFileSync(process.execPath, [CONVERT, path], { encoding: 'utf8' })) as Converted
  if (found.refused.length > 0) throw new Error(found.refused.join('; '))
  return found
}

/**
 * Converts a database of promptfoo and its JSON output. `BENCH_IMPORT_CASES` is the number of cases of the database,
 * `BENCH_IMPORT_MIB` the size of the JSON.
 */
export const importPromptfoo: Measure = async (print) => {
  const cases = Number(process.env['BENCH_IMPORT_CASES'] ?? 100_000)
  const mib = Number(process.env['BENCH_IMPORT_MIB'] ?? 256)
  const folder = mkdtempSync(join(tmpdir(), 'bench-promptfoo-'))
  try {
    const database = join(folder, 'promptfoo.db')
    writeDatabase(database, Math.ceil(cases / CASES_EACH), CASES_EACH, 500)
    const stored = convertApart(database)
    print(`database of ${stored.cases} cases, ${Math.round(statSync(database).size / MIB)} MiB: ${perSecond(stored)}`)
    rmSync(database)
    const json = join(folder, 'results.json')
    // A document takes 64 MiB: outputs are long, so that they are cut.
    await writeJson(json, mib * MIB, 400_000)
    const exported = convertApart(json)
    print(
      `JSON of ${mib} MiB: ${(mib / exported.seconds).toFixed(0)} MiB/s (${(mib / exported.cpuSeconds).toFixed(0)} of CPU time), RSS ${exported.rssMiB.toFixed(0)} MiB`,
    )
  } finally {
    rmSync(folder, { recursive: true })
  }
}

const perSecond = ({ cases, seconds, cpuSeconds, rssMiB }: Converted) =>
  `${Math.round(cases / seconds)} cases/s (${Math.round(cases / cpuSeconds)} of CPU time), RSS ${rssMiB.toFixed(0)} MiB`
