import { join } from 'node:path'
import { KILL_POINTS, killAt } from '../../spec/support/parts/kill-points.ts'
import { randomOf } from '../documents.ts'
import { temporaryFolder } from './server.ts'
import { setting, type SoakContext } from './soak.ts'

/** How often one step may come before it kills. */
const MAX_TIMES = 4

/**
 * `kill -9` at every step of storing and removing large parts of evidence in files. Afterwards nothing that was acknowledged may be missing,
 * verify must be clean, and a sweep must leave no file behind.
 */
export const parts = async ({ print, fail, seed }: SoakContext): Promise<void> => {
  const kills = setting('SOAK_PART_KILLS', 10_000)
  const random = randomOf(seed)
  let killed = 0
  for (let n = 0; n < kills; n++) {
    const point = KILL_POINTS[n % KILL_POINTS.length] ?? ''
    const times = 1 + Math.floor(random() * MAX_TIMES)
    const outcome = await killAt(join(temporaryFolder(), 'data'), point, times, 1 + Math.floor(random() * 1e6))
    if (outcome.killed) killed++
    for (const problem of outcome.problems) fail(problem)
    if ((n + 1) % 100 === 0) print(`${n + 1} runs, ${killed} killed`)
  }
  print(`${kills} runs, ${killed} killed at ${KILL_POINTS.length} steps: see above for what is wrong`)
}
