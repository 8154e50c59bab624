import { rmSync } from 'node:fs'
import { join } from 'node:path'
import {
  BUCKET_KILL_POINTS,
  buildKilled,
  KILL_POINTS,
  killAt,
  TABLE_KILL_POINTS,
} from '../../spec/support/parts/kill-points.ts'
import { KEYS, startS3Server } from '../../spec/support/s3/stand-in.ts'
import { randomOf } from '../documents.ts'
import { temporaryFolder } from './server.ts'
import { setting, type SoakContext } from './soak.ts'

/** How often any step may come before the kill, and how many ms a process may work; another step may come four times. */
const MOST: Readonly<Record<string, number>> = { any: 43, moment: 150 }

/**
 * `kill -9` at every step of storing and removing large parts of evidence in files, in the database and in a bucket. Afterwards nothing that was
 * acknowledged may be missing, verify must be clean, and a sweep must leave nothing behind. `SOAK_PART_KILLS` is how often at each step, at any step, and at any moment.
 */
export const parts = async ({ print, fail, seed }: SoakContext): Promise<void> => {
  const kills = setting('SOAK_PART_KILLS', 500)
  const random = randomOf(seed)
  Object.assign(process.env, KEYS)
  const s3 = await startS3Server()
  const stores = [
    ['files', KILL_POINTS, 'files'],
    ['table', TABLE_KILL_POINTS, 'table'],
    ['s3', BUCKET_KILL_POINTS, s3],
  ] as const
  const built = await buildKilled(temporaryFolder())
  for (const [name, points, place] of stores) {
    let killed = 0
    for (const point of [...points, 'any', 'moment'])
      for (let n = 0; n < kills; n++) {
        const folder = temporaryFolder()
        // Each run has a prefix of its own in the bucket.
        const own = 1 + Math.floor(random() * 1e6)
        // The first time is always reached; a later one is not by every run.
        const times = n === 0 ? 1 : 1 + Math.floor(random() * (MOST[point] ?? 4))
        const outcome = await killAt(built, join(folder, 'data'), point, times, own, place)
        rmSync(folder, { recursive: true })
        s3.objects.clear()
        if (outcome.killed) killed++
        for (const problem of outcome.problems) fail(`${name}: ${problem}`)
      }
    print(
      `${name}: ${(points.length + 2) * kills} runs, ${killed} killed at ${points.length} steps, at any, and at any moment`,
    )
  }
  await s3[Symbol.asyncDispose]()
}
