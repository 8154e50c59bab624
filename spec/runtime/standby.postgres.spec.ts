import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startPostgres } from '../support/postgres/server.ts'
import type { PostgresServer } from '../support/postgres/server.ts'
import { rowsOf, startReplicas, turn } from '../support/servers/replicas.ts'
import type { Replica } from '../support/servers/replicas.ts'
import { smallDocument } from '../support/documents/small-document.ts'

const BOUND_MS = 40_000
const READS = ['/runs', '/sets', '/sets/chat/suites/smoke', '/projects', '/search?q=plain']

let primary: PostgresServer
let standby: PostgresServer
let replicas: readonly Replica[]
let made = 0
let asked = 0

const on = (n: number): Replica => turn(replicas, n)
const upload = async (replica: Replica): Promise<string> => {
  const id = `made-${made++}`
  const { status, text } = await replica.ask('POST', '/runs', { body: smallDocument(id) })
  expect([status, text]).toEqual([201, expect.any(String) as string])
  return id
}

/** Sees everything that was ever acknowledged, wherever it asks. */
const seesAll = async (replica: Replica): Promise<void> => {
  const { body } = await replica.ask('GET', '/sets/chat/suites/smoke')
  expect(body['run_count']).toBe(made)
  expect((await replica.ask('GET', `/runs/made-${made - 1}/matrix`)).status).toBe(200)
  expect((await replica.ask('GET', `/runs/made-${made - 1}/export`)).text).toBe(smallDocument(`made-${made - 1}`))
}

/** Row fetches of sessions of the service on the standby, which its statistics count. */
const statementsOnStandby = async (): Promise<number> => {
  const [row] = await rowsOf<{ n: number }>(
    standby.url('ers'),
    "SELECT coalesce(sum(idx_scan + seq_scan), 0)::int AS n FROM pg_stat_user_tables WHERE relname = 'runs'",
  )
  return row?.n ?? 0
}

/** Asks what no answer is kept of until the standby answers. */
const comesBack = async (): Promise<void> => {
  const before = await statementsOnStandby()
  await expect
    .poll(
      async () => {
        for (let n = 0; n < 4; n++) expect((await on(n).ask('GET', `/runs?tag=unkept-${asked++}`)).status).toBe(200)
        return statementsOnStandby()
      },
      { timeout: BOUND_MS, interval: 300 },
    )
    .toBeGreaterThan(before)
}

const replay = (how: 'pause' | 'resume') => rowsOf(standby.url('ers'), `SELECT pg_wal_replay_${how}()`)

describe('replicas that read from a standby', () => {
  beforeAll(async () => {
    primary = await startPostgres()
    await rowsOf(primary.url(), 'CREATE ROLE ers LOGIN')
    await rowsOf(primary.url(), 'CREATE DATABASE ers OWNER ers')
    standby = await startPostgres({ standbyOf: primary })
    replicas = await startReplicas(2, primary.url('ers', 'ers'), {
      SERVICE_DATABASE_READ_URL: standby.url('ers', 'ers'),
      SERVICE_DATABASE_STATEMENT_TIMEOUT_MS: '3000',
    })
    await upload(on(0))
  })
  afterAll(async () => {
    await Promise.all(replicas.map((replica) => replica.stop()))
    await standby.stop()
    await primary.stop()
  })

  it('read from it as far as it has come', comesBack)

  it('see what any of them acknowledged while it replays as it can', async () => {
    for (let n = 0; n < 20; n++) {
      await upload(on(n))
      for (const replica of replicas) await seesAll(replica)
    }
  })

  it('read from the primary while it replays nothing, and come back when it does', async () => {
    await replay('pause')
    try {
      for (let n = 0; n < 6; n++) {
        await upload(on(n))
        for (const replica of replicas) await seesAll(replica)
        expect((await on(n).ask('DELETE', `/runs/made-${made - 1}`)).status).toBe(204)
        for (const replica of replicas) expect((await replica.ask('GET', `/runs/made-${made - 1}`)).status).toBe(404)
        made--
      }
    } finally {
      await replay('resume')
    }
    await comesBack()
    for (const replica of replicas) await seesAll(replica)
  })

  it('answer everything while it crashes, is gone, and comes back', async () => {
    let going = true
    const answers: number[] = []
    const lanes = Promise.all(
      Array.from({ length: 6 }, async (_, n) => {
        for (let k = 0; going; k++) answers.push((await on(n).ask('GET', READS[(n + k) % READS.length] ?? '')).status)
      }),
    )
    await standby.halt('immediate')
    for (let n = 0; n < 4; n++) {
      await upload(on(n))
      for (const replica of replicas) await seesAll(replica)
    }
    await standby.resume()
    await comesBack()
    going = false
    await lanes
    expect(new Set(answers)).toEqual(new Set([200]))
  })

  it('start while it is away', async () => {
    await standby.halt('immediate')
    const [late] = await startReplicas(1, primary.url('ers', 'ers'), {
      SERVICE_DATABASE_READ_URL: standby.url('ers', 'ers'),
    })
    try {
      if (late) await seesAll(late)
    } finally {
      await late?.stop()
      await standby.resume()
    }
  })
})
