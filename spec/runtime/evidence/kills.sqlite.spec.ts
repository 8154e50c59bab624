import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import {
  BUCKET_KILL_POINTS,
  buildKilled,
  KILL_POINTS,
  killAt,
  TABLE_KILL_POINTS,
} from '../../support/parts/kill-points.ts'
import { KEYS, startS3Server, type S3Server } from '../../support/s3/stand-in.ts'

const root = mkdtempSync(join(tmpdir(), 'ers-kills-'))
let built: string
beforeAll(async () => {
  built = await buildKilled(root)
})
afterAll(() => rmSync(root, { recursive: true, force: true }))

// `npm run soak -- parts` does it at every step many times.
describe('a process that stores large parts', () => {
  it.each(KILL_POINTS)('loses nothing that it acknowledged if it is killed at: %s', async (point) => {
    const { killed, problems } = await killAt(built, join(root, point), point, 1, 1 + KILL_POINTS.indexOf(point))
    expect({ killed, problems }).toEqual({ killed: true, problems: [] })
  })
})

describe('a process that stores large parts in the database', () => {
  it.each(TABLE_KILL_POINTS)('loses nothing that it acknowledged if it is killed at: %s', async (point) => {
    const seed = 1 + TABLE_KILL_POINTS.indexOf(point)
    const { killed, problems } = await killAt(built, join(root, `table ${point}`), point, 1, seed, 'table')
    expect({ killed, problems }).toEqual({ killed: true, problems: [] })
  })
})

describe('a process that stores large parts in a bucket', () => {
  let s3: S3Server
  beforeAll(async () => {
    for (const [name, value] of Object.entries(KEYS)) vi.stubEnv(name, value)
    s3 = await startS3Server()
  })
  afterAll(async () => {
    await s3[Symbol.asyncDispose]()
    vi.unstubAllEnvs()
  })
  it.each(BUCKET_KILL_POINTS)('loses nothing that it acknowledged if it is killed at: %s', async (point) => {
    const seed = 1 + BUCKET_KILL_POINTS.indexOf(point)
    const { killed, problems } = await killAt(built, join(root, `bucket ${point}`), point, 1, seed, s3)
    expect({ killed, problems }).toEqual({ killed: true, problems: [] })
  })
})
