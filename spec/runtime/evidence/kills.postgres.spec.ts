import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { BUCKET_KILL_POINTS, buildKilled, killAt, TABLE_KILL_POINTS } from '../../support/parts/kill-points.ts'
import { KEYS, startS3Server, type S3Server } from '../../support/s3/stand-in.ts'
import { freshDatabase } from '../../support/stores/fresh-database.ts'

const root = mkdtempSync(join(tmpdir(), 'ers-kills-'))
let s3: S3Server
let built: string

const onFresh = async <T>(work: (url: string) => Promise<T>): Promise<T> => {
  const database = await freshDatabase()
  try {
    return await work(database.appUrl)
  } finally {
    await database.close()
  }
}

beforeAll(async () => {
  for (const [name, value] of Object.entries(KEYS)) vi.stubEnv(name, value)
  s3 = await startS3Server()
  built = await onFresh((url) => buildKilled(root, url))
})
afterAll(async () => {
  await s3[Symbol.asyncDispose]()
  vi.unstubAllEnvs()
  rmSync(root, { recursive: true, force: true })
})

// `npm run soak -- parts` does it at every step many times.
describe.each([
  { where: 'in a PostgreSQL database', points: TABLE_KILL_POINTS, place: () => 'table' as const },
  { where: 'in a bucket, with a PostgreSQL database', points: BUCKET_KILL_POINTS, place: () => s3 },
])('a process that stores large parts $where', ({ points, place }) => {
  it.each(points)('loses nothing that it acknowledged if it is killed at: %s', async (point) => {
    const seed = 1 + points.indexOf(point)
    const { killed, problems } = await onFresh((url) => killAt(built, url, point, 1, seed, place()))
    expect({ killed, problems }).toEqual({ killed: true, problems: [] })
  })
})
