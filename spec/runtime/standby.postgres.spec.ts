import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startPostgres, type PostgresServer } from '../support/postgres/server.ts'
import { queryRows, startReplicas, inRotation, type Replica } from '../support/servers/replicas.ts'
import { smallDocument } from '../support/documents/small-document.ts'

const MAX_WAIT_MS = 40_000
const READS = ['/runs', '/sets', '/sets/chat/suites/smoke', '/projects', '/search?q=plain']

let primary: PostgresServer
let standby: PostgresServer
let replicas: readonly Replica[]
let uploads = 0
let reads = 0

const replicaAt = (n: number): Replica => inRotation(replicas, n)
const upload = async (replica: Replica): Promise<string> => {
  const id = `upload-${uploads++}`
  const { status, text } = await replica.ask('POST', '/runs', { body: smallDocument(id) })
  expect([status, text]).toEqual([201, expect.any(String) as string])
  return id
}

/** Expects a replica to show all acknowledged uploads. */
const expectAllUploads = async (replica: Replica): Promise<void> => {
  const { body } = await replica.ask('GET', '/sets/chat/suites/smoke')
  expect(body['run_count']).toBe(uploads)
  expect((await replica.ask('GET', `/runs/upload-${uploads - 1}/matrix`)).status).toBe(200)
  expect((await replica.ask('GET', `/runs/upload-${uploads - 1}/export`)).text).toBe(
    smallDocument(`upload-${uploads - 1}`),
  )
}

/** Returns how often the standby scanned the table of runs, by its statistics. */
const scansOnStandby = async (): Promise<number> => {
  const [row] = await queryRows<{ n: number }>(
    standby.url('ers'),
    "SELECT coalesce(sum(idx_scan + seq_scan), 0)::int AS n FROM pg_stat_user_tables WHERE relname = 'runs'",
  )
  return row?.n ?? 0
}

/** Sends reads whose responses are not cached. Stops when one of them has reached the standby. */
const expectReadFromStandby = async (): Promise<void> => {
  const before = await scansOnStandby()
  await expect
    .poll(
      async () => {
        for (let n = 0; n < 4; n++)
          expect((await replicaAt(n).ask('GET', `/runs?tag=uncached-${reads++}`)).status).toBe(200)
        return scansOnStandby()
      },
      { timeout: MAX_WAIT_MS, interval: 300 },
    )
    .toBeGreaterThan(before)
}

const replay = (how: 'pause' | 'resume') => queryRows(standby.url('ers'), `SELECT pg_wal_replay_${how}()`)

describe('replicas that read from a standby', () => {
  beforeAll(async () => {
    primary = await startPostgres()
    await queryRows(primary.url(), 'CREATE ROLE ers LOGIN')
    await queryRows(primary.url(), 'CREATE DATABASE ers OWNER ers')
    standby = await startPostgres({ standbyOf: primary })
    replicas = await startReplicas(2, primary.url('ers', 'ers'), {
      SERVICE_DATABASE_READ_URL: standby.url('ers', 'ers'),
      SERVICE_DATABASE_STATEMENT_TIMEOUT_MS: '3000',
    })
    await upload(replicaAt(0))
  })
  afterAll(async () => {
    await Promise.all(replicas.map((replica) => replica.stop()))
    await standby.stop()
    await primary.stop()
  })

  it('read from the standby', expectReadFromStandby)

  it('show all acknowledged uploads while the standby replays', async () => {
    for (let n = 0; n < 20; n++) {
      await upload(replicaAt(n))
      for (const replica of replicas) await expectAllUploads(replica)
    }
  })

  it('read from the primary while the replay of the standby is paused, and later from the standby again', async () => {
    await replay('pause')
    try {
      for (let n = 0; n < 6; n++) {
        await upload(replicaAt(n))
        for (const replica of replicas) await expectAllUploads(replica)
        expect((await replicaAt(n).ask('DELETE', `/runs/upload-${uploads - 1}`)).status).toBe(204)
        for (const replica of replicas)
          expect((await replica.ask('GET', `/runs/upload-${uploads - 1}`)).status).toBe(404)
        uploads--
      }
    } finally {
      await replay('resume')
    }
    await expectReadFromStandby()
    for (const replica of replicas) await expectAllUploads(replica)
  })

  it('answer all requests while the standby crashes, is away, and returns', async () => {
    let isRunning = true
    const answers: number[] = []
    const lanes = Promise.all(
      Array.from({ length: 6 }, async (_, n) => {
        for (let k = 0; isRunning; k++)
          answers.push((await replicaAt(n).ask('GET', READS[(n + k) % READS.length] ?? '')).status)
      }),
    )
    await standby.halt('immediate')
    for (let n = 0; n < 4; n++) {
      await upload(replicaAt(n))
      for (const replica of replicas) await expectAllUploads(replica)
    }
    await standby.resume()
    await expectReadFromStandby()
    isRunning = false
    await lanes
    expect(new Set(answers)).toEqual(new Set([200]))
  })

  it('start while the standby is away', async () => {
    await standby.halt('immediate')
    const [late] = await startReplicas(1, primary.url('ers', 'ers'), {
      SERVICE_DATABASE_READ_URL: standby.url('ers', 'ers'),
    })
    try {
      if (late) await expectAllUploads(late)
    } finally {
      await late?.stop()
      await standby.resume()
    }
  })
})
