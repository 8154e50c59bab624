import pg from 'pg'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { cacheKeyOf } from '../support/documents/cache-bodies.ts'
import { freeze } from '../support/postgres/processes.ts'
import { startPostgres, type PostgresServer } from '../support/postgres/server.ts'
import { queryRows, startReplicas, inRotation } from '../support/servers/replicas.ts'
import type { Replica, ReplicaResponse } from '../support/servers/replicas.ts'
import { smallDocument } from '../support/documents/small-document.ts'

const STATEMENT_MS = 2_000
/**
 * No response takes longer than this, even if the database fails: statements, reads of the log and connections have
 * timeouts.
 */
const MAX_RESPONSE_MS = 40_000
const CONNECTIONS = 60

let server: PostgresServer
let url: string
let replicas: readonly Replica[]
let uploads = 0
/** Ids of acknowledged uploads. */
const stored: string[] = []

const KEY = cacheKeyOf('kept')
const READS = [
  '/runs',
  '/runs/kept',
  '/runs/kept/cases',
  '/runs/kept/matrix',
  '/runs/kept/export',
  '/sets',
  '/search?q=plain',
  '/auth/me',
  '/audit',
  '/meta',
  '/ready',
  '/cache/stats',
  '/cache/entries',
  '/cache/facets',
  `/cache/${KEY}`,
  `/cache/entries/${KEY}`,
]

/** Changes of the cache. */
const WRITES = [
  ['PUT', `/cache/${cacheKeyOf('other')}`],
  ['DELETE', `/cache/entries/${cacheKeyOf('other')}`],
  ['POST', '/cache/prune?model=none'],
] as const

const upload = async (replica: Replica, signal?: AbortSignal): Promise<ReplicaResponse> => {
  const id = `upload-${uploads++}`
  const answer = await replica.ask('POST', '/runs', { body: smallDocument(id), ...(signal ? { signal } : {}) })
  if (answer.status === 201) stored.push(id)
  return answer
}

/** Sends reads and uploads to all replicas while an event happens. Returns all responses. */
const underLoad = async (event: () => Promise<void>): Promise<readonly ReplicaResponse[]> => {
  const answers: ReplicaResponse[] = []
  let isRunning = true
  const lane = async (n: number): Promise<void> => {
    for (let k = 0; isRunning; k++) {
      const replica = inRotation(replicas, n)
      const signal = AbortSignal.timeout(MAX_RESPONSE_MS)
      answers.push(
        await (n % 3 === 0
          ? upload(replica, signal)
          : replica.ask('GET', READS[(n + k) % READS.length] ?? '', { signal })),
      )
    }
  }
  const lanes = Promise.all(Array.from({ length: 12 }, (_, n) => lane(n)))
  try {
    await Promise.race([lanes, event()])
  } finally {
    isRunning = false
  }
  await lanes
  return answers
}

/** Expects all responses to be successes, or 503 with Retry-After. */
const expectOnlyRetryable = (answers: readonly ReplicaResponse[]): void => {
  const others = answers.filter(
    ({ status, retryAfter }) => status !== 200 && status !== 201 && !(status === 503 && retryAfter !== null),
  )
  expect(others).toEqual([])
}

/** Expects both replicas to answer all requests again, and to have all acknowledged uploads. */
const expectRecovered = async (): Promise<void> => {
  for (const replica of replicas) {
    for (const path of READS)
      await expect.poll(async () => (await replica.ask('GET', path)).status, { timeout: MAX_RESPONSE_MS }).toBe(200)
    await expect.poll(async () => (await upload(replica)).status, { timeout: MAX_RESPONSE_MS }).toBe(201)
    expect(replica.process.exitCode).toBeNull()
    const missing = await Promise.all(
      stored.splice(0).map(async (id) => ((await replica.ask('GET', `/runs/${id}`)).status === 200 ? null : id)),
    )
    expect(missing.filter((id) => id !== null)).toEqual([])
  }
}

const expect503 = (path: string, replica: Replica) =>
  expect
    .poll(async () => (await replica.ask('GET', path, { signal: AbortSignal.timeout(MAX_RESPONSE_MS) })).status, {
      timeout: MAX_RESPONSE_MS,
    })
    .toBe(503)

describe('two replicas whose database fails', () => {
  beforeAll(async () => {
    server = await startPostgres({ settings: { max_connections: String(CONNECTIONS) } })
    await queryRows(server.url(), 'CREATE ROLE ers LOGIN')
    await queryRows(server.url(), 'CREATE DATABASE ers OWNER ers')
    url = server.url('ers', 'ers')
    replicas = await startReplicas(2, url, {
      SERVICE_DATABASE_STATEMENT_TIMEOUT_MS: String(STATEMENT_MS),
      SERVICE_DATABASE_POOL_SIZE: '4',
    })
    expect((await inRotation(replicas, 0).ask('PUT', `/cache/${KEY}`, { body: 'kept' })).status).toBe(201)
    // A commit of the cache does not wait for the disk. The commit of an upload does, and so makes the entry durable.
    expect((await inRotation(replicas, 0).ask('POST', '/runs', { body: smallDocument('kept') })).status).toBe(201)
  })
  afterEach(expectRecovered)
  afterAll(async () => {
    await Promise.all(replicas.map((replica) => replica.stop()))
    await server.stop()
  })

  const halted = (how: 'fast' | 'immediate') => async (): Promise<void> => {
    await server.halt(how)
    for (const replica of replicas) {
      for (const path of READS)
        expect((await replica.ask('GET', path, { signal: AbortSignal.timeout(MAX_RESPONSE_MS) })).status).toBe(503)
      expect((await upload(replica, AbortSignal.timeout(MAX_RESPONSE_MS))).status).toBe(503)
      for (const [method, path] of WRITES)
        expect((await replica.ask(method, path, { signal: AbortSignal.timeout(MAX_RESPONSE_MS) })).status, path).toBe(
          503,
        )
      expect((await replica.ask('GET', '/health')).body).toEqual({ status: 'ok' })
      expect((await fetch(`${replica.url}/health`)).status).toBe(200)
    }
    await server.resume()
  }

  it('answer 503 to everything except health while the database is stopped, and recover', async () =>
    expectOnlyRetryable(await underLoad(halted('fast'))))

  it('lose no acknowledged write when the database crashes repeatedly under load', async () => {
    for (let n = 0; n < 3; n++) expectOnlyRetryable(await underLoad(halted('immediate')))
  })

  it('recover each time all their database sessions are terminated at once', async () => {
    const answers = await underLoad(async () => {
      for (let n = 0; n < 20; n++) {
        await queryRows(
          server.url('ers'),
          "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'ers'",
        )
        // Waits until a request succeeds: then there are new sessions to terminate.
        await expect
          .poll(async () => (await inRotation(replicas, n).ask('GET', '/runs')).status, { timeout: MAX_RESPONSE_MS })
          .toBe(200)
      }
    })
    expectOnlyRetryable(answers)
    expect(answers.some(({ status }) => status === 200)).toBe(true)
  })

  it('answer 503 while other clients hold all connections', async () => {
    const others: pg.Client[] = []
    try {
      const answers = await underLoad(async () => {
        // Ends the service's sessions until the others hold all connections, except those reserved for superusers: twice, because a session
        // that begins is not listed yet.
        for (let rounds = 0; rounds < 2;) {
          await queryRows(
            server.url('ers'),
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'ers' AND application_name = 'ers'",
          )
          const before = others.length
          for (let n = 0; n < CONNECTIONS; n++) {
            const client = new pg.Client({ connectionString: url, application_name: 'other' })
            client.on('error', () => {})
            if (
              !(await client.connect().then(
                () => true,
                () => false,
              ))
            )
              break
            others.push(client)
          }
          const [{ ours = 0 } = {}] = await queryRows<{ ours: number }>(
            server.url('ers'),
            "SELECT count(*)::int AS ours FROM pg_stat_activity WHERE usename = 'ers' AND application_name = 'ers'",
          )
          rounds = ours === 0 && others.length === before ? rounds + 1 : 0
        }
        for (const replica of replicas) await expect503('/runs', replica)
        expect((await upload(inRotation(replicas, 0), AbortSignal.timeout(MAX_RESPONSE_MS))).status).toBe(503)
      })
      expectOnlyRetryable(answers)
    } finally {
      await Promise.all(others.map((client) => client.end()))
    }
  })

  it('answer 503 to requests that wait too long for a locked table', async () => {
    const locker = new pg.Client(server.url('ers'))
    await locker.connect()
    try {
      const answers = await underLoad(async () => {
        await locker.query('BEGIN')
        await locker.query('LOCK TABLE runs IN ACCESS EXCLUSIVE MODE')
        // More requests than the pool has connections.
        const blocked = await Promise.all(
          Array.from({ length: 40 }, (_, n) =>
            inRotation(replicas, n).ask('GET', `/runs/other-${n}`, { signal: AbortSignal.timeout(MAX_RESPONSE_MS) }),
          ),
        )
        expect(new Set(blocked.map(({ status }) => status))).toEqual(new Set([503]))
        await locker.query('ROLLBACK')
      })
      expectOnlyRetryable(answers)
    } finally {
      await locker.end()
    }
  })

  it('answer 503 while the database is frozen, and recover', async () => {
    const answers = await underLoad(async () => {
      const unfreeze = freeze(server)
      try {
        await Promise.all(
          replicas.flatMap((replica) => [
            ...READS.map(async (path) =>
              expect((await replica.ask('GET', path, { signal: AbortSignal.timeout(MAX_RESPONSE_MS) })).status).toBe(
                503,
              ),
            ),
            ...Array.from({ length: 20 }, async () =>
              expect((await upload(replica, AbortSignal.timeout(MAX_RESPONSE_MS))).status).toBe(503),
            ),
            replica
              .ask('GET', '/health', { signal: AbortSignal.timeout(MAX_RESPONSE_MS) })
              .then(({ status }) => expect(status).toBe(200)),
          ]),
        )
      } finally {
        unfreeze()
      }
    })
    expectOnlyRetryable(answers)
  })

  it('keep writing when one of them freezes during its writes', async () => {
    const [frozen, other] = [inRotation(replicas, 0), inRotation(replicas, 1)]
    const signal = AbortSignal.timeout(2 * MAX_RESPONSE_MS)
    const writes = Array.from({ length: 200 }, () => upload(frozen, signal))
    await Promise.race(writes)
    frozen.process.kill('SIGSTOP')
    try {
      // The frozen replica may hold the lock of the log: then the database ends its session.
      await expect.poll(async () => (await upload(other, signal)).status, { timeout: 2 * MAX_RESPONSE_MS }).toBe(201)
    } finally {
      frozen.process.kill('SIGCONT')
    }
    // The frozen replica later answers 408 to some uploads, as if their clients had sent them too slowly. A client may
    // retry those as well.
    expectOnlyRetryable((await Promise.all(writes)).filter(({ status }) => status !== 408))
  })
})
