import { loadavg } from 'node:os'
import type { Print } from '../../measures.ts'
import { duringUploads } from './during-uploads.ts'
import { manyRuns } from './many-runs.ts'
import { agentMemory } from './memory.ts'

const PARTS: ReadonlyArray<readonly [string, (print: Print) => Promise<void>]> = [
  ['memory during 10,000 calls of all tools', agentMemory],
  ['find_runs during uploads', duringUploads],
  ['find_runs and search with many runs', manyRuns],
]

/**
 * Measures the endpoint for agents: `tools/call` of the Model Context Protocol, on SQLite. `BENCH_PART` selects one part
 * by its number. The server is the real program with its real limits; `calls.ts` says how it answers so many calls.
 */
export const agents = async (print: Print): Promise<void> => {
  const selected = process.env['BENCH_PART']
  for (const [i, [title, part]] of PARTS.entries()) {
    if (selected !== undefined && selected !== String(i + 1)) continue
    const before = loadavg()[0] ?? 0
    print(`\n### ${title}\n`)
    await part(print)
    print(`\nLoad of the machine: ${before.toFixed(1)} before, ${(loadavg()[0] ?? 0).toFixed(1)} at the end.`)
  }
}
