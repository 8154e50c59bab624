import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Target } from '../../interchange/convert/convert-source.ts'
import { convertFiles } from './convert-files.ts'

/** What a pass over a folder took. */
export type Converted = {
  readonly runs: number
  readonly seconds: number
  readonly firstSeconds: number
  readonly peakMiB: number
  /** The time of the processor for the conversion: on a busy machine, the figure to compare. */
  readonly cpuSeconds: number
  readonly known: { readonly runs: number; readonly seconds: number }
}

// Started with a folder as its argument: converts all files in it, then asks for each run again. Writes JSON.

const [folder = '.'] = process.argv.slice(2)
const stamps = new Map<string, { readonly id: string; readonly stamp: string }>()
const target: Target = {
  known: async (run_id) => {
    const known = stamps.get(run_id)
    return known === undefined ? null : { import: known }
  },
  content: async () => null,
}

const pass = async () => {
  const paths = readdirSync(folder)
    .sort()
    .map((name) => join(folder, name))
  const from = performance.now()
  let runs = 0
  let first = 0
  for await (const result of convertFiles(paths, { target })) {
    if (result.outcome === 'refused') throw new Error(result.reason)
    if (first === 0) first = performance.now() - from
    runs += 1
    if (!('run' in result)) continue
    const { config_snapshot } = JSON.parse(Buffer.from(result.run.bytes).toString('utf8')) as {
      config_snapshot: { import: { id: string; stamp: string } }
    }
    const { id, stamp } = config_snapshot.import
    stamps.set(result.run.run_id, { id, stamp })
  }
  return { runs, seconds: (performance.now() - from) / 1000, firstSeconds: first / 1000 }
}

const converted = await pass()
const { user, system } = process.cpuUsage()
const peakMiB = process.resourceUsage().maxRSS / 1024
const { runs, seconds } = await pass()
const result: Converted = { ...converted, peakMiB, cpuSeconds: (user + system) / 1_000_000, known: { runs, seconds } }
console.log(JSON.stringify(result))
