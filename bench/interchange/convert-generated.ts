import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ImportOptions } from '../../interchange/document/import-options.ts'
import type { Print } from '../measures.ts'
import { convertFiles } from './convert-files.ts'

type Generated = {
  readonly name: string
  readonly path: (folder: string) => string
  readonly parts: () => Iterable<string>
  readonly options: ImportOptions
  readonly format?: string
  /** Reads the file in another way than converting it. */
  readonly read?: (path: string) => Promise<void>
  readonly unit: { readonly name: string; readonly count: number }
}

const MIB = 1024 * 1024
const FLUSH_UNITS = 1 * MIB

/** Writes a file and converts all of its runs. Prints the time, the rate and the peak of the memory of this process. */
export const convertGenerated = async (print: Print, { name, path, parts, options, format, read, unit }: Generated) => {
  const folder = mkdtempSync(join(tmpdir(), 'ers-bench-'))
  try {
    const file = path(folder)
    await writeParts(file, parts())
    const { size } = statSync(file)
    let peak = 0
    const timer = setInterval(() => void (peak = Math.max(peak, process.memoryUsage.rss())), 20)
    const start = performance.now()
    const cpu = process.cpuUsage()
    let [runs, cases] = [0, 0]
    const reasons: string[] = []
    if (read) await read(file)
    else
      for await (const result of convertFiles([file], { options, format: format ?? null })) {
        runs += 1
        if ('run' in result) cases += result.run.cases
        else reasons.push('reason' in result ? result.reason : result.outcome)
      }
    clearInterval(timer)
    const seconds = (performance.now() - start) / 1000
    const { user, system } = process.cpuUsage(cpu)
    print(
      `${name}: ${(size / MIB).toFixed(0)} MiB, ${runs} runs, ${cases} cases in ${seconds.toFixed(2)} s (processor ${((user + system) / 1e6).toFixed(2)} s): ${(size / MIB / seconds).toFixed(0)} MiB/s, ${(unit.count / seconds).toFixed(0)} ${unit.name}/s, RSS ${(peak / MIB).toFixed(0)} MiB at most`,
    )
    for (const reason of new Set(reasons)) print(`  ${reason}`)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

const writeParts = async (path: string, parts: Iterable<string>): Promise<void> => {
  await using handle = await open(path, 'w')
  let waiting = ''
  for (const part of parts) {
    waiting += part
    if (waiting.length < FLUSH_UNITS) continue
    await handle.write(waiting)
    waiting = ''
  }
  await handle.write(waiting)
}
