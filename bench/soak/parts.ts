import { rmSync } from 'node:fs'
import { join } from 'node:path'
import {
  BUCKET_KILL_POINTS,
  buildKilled,
  KILL_POINTS,
  killAt,
  TABLE_KILL_POINTS,
} from '../../spec/support/parts/kill-points.ts'
import { databaseOn, prepareDatabases } from '../../spec/support/postgres/databases.ts'
import { startPostgres } from '../../spec/support/postgres/server.ts'
import { migrate } from '../../spec/support/postgres/setup.ts'
import { KEYS, startS3Server } from '../../spec/support/s3/stand-in.ts'
import { randomOf } from '../documents.ts'
import { temporaryFolder } from './server.ts'
import { setting, type SoakContext } from './soak.ts'

/** How many ms a process may work before a kill at any moment. */
const MAX_WORK_MS = 150

/**
 * `kill -9` at every step of storing and removing large parts of evidence in files, in the database and in a bucket, on SQLite and on PostgreSQL. Afterwards
 * nothing that was acknowledged may be missing, verify must be clean, and a sweep must leave nothing behind. `SOAK_PART_KILLS` is how often at each step, at any step, and at any moment.
 */
export const parts = async ({ print, fail, seed }: SoakContext): Promise<void> => {
  const kills = setting('SOAK_PART_KILLS', 500)
  const random = randomOf(seed)
  Object.assign(process.env, KEYS)
  await using s3 = await startS3Server()
  const server = await startPostgres()
  try {
    await prepareDatabases(server.url, migrate)
    const stores = [
      ['files', KILL_POINTS, 'files', false],
      ['table', TABLE_KILL_POINTS, 'table', false],
      ['s3', BUCKET_KILL_POINTS, s3, false],
      ['table on PostgreSQL', TABLE_KILL_POINTS, 'table', true],
      ['s3 on PostgreSQL', BUCKET_KILL_POINTS, s3, true],
    ] as const
    const built = await buildKilled(temporaryFolder())
    for (const [name, points, place, onPostgres] of stores) {
      const killOnce = async (point: string, times: number) => {
        const folder = temporaryFolder()
        const database = onPostgres ? await databaseOn(server.url) : null
        // Each run has a prefix of its own in the bucket.
        const own = 1 + Math.floor(random() * 1e6)
        const outcome = await killAt(built, database?.appUrl ?? join(folder, 'data'), point, times, own, place)
        await database?.close()
        rmSync(folder, { recursive: true })
        s3.objects.clear()
        for (const problem of outcome.problems) fail(`${name}: ${problem}`)
        return outcome
      }
      let killed = 0
      for (const point of [...points, 'any', 'moment']) {
        const most = point === 'moment' ? MAX_WORK_MS : (await killOnce(point, Infinity)).reached
        for (let n = 0; n < kills; n++) {
          const outcome = await killOnce(point, n === 0 ? 1 : 1 + Math.floor(random() * most))
          if (outcome.killed) killed++
        }
      }
      print(
        `${name}: ${(points.length + 2) * kills} runs, ${killed} killed at ${points.length} steps, at any, and at any moment`,
      )
    }
  } finally {
    await server.stop()
  }
}
