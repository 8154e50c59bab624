import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { freshDatabase } from '../support/stores/fresh-database.ts'
import type { FreshDatabase } from '../support/postgres/databases.ts'
import { queryRows, startReplicas, countByStatus, inRotation, type Replica } from '../support/servers/replicas.ts'
import { smallDocument } from '../support/documents/small-document.ts'

const PASSWORD = 'correct horse battery'
const PER_REPLICA = 30

let database: FreshDatabase
let replicas: readonly Replica[]

const times = <T>(count: number, make: (n: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, n) => make(n)))
const replicaAt = (n: number): Replica => inRotation(replicas, n)

type LogRow = { readonly seq: number; readonly recorded_at: number; readonly stream: string; readonly version: number }
const log = () =>
  queryRows<LogRow>(
    database.superUrl,
    'SELECT e.seq::int, e.recorded_at::float8, b.stream, b.version::int FROM events e JOIN event_bodies b ON b.seq = e.seq ORDER BY e.seq',
  )

describe('three replicas on one database', () => {
  beforeAll(async () => {
    database = await freshDatabase()
    replicas = await startReplicas(3, database.appUrl)
  })
  afterAll(async () => {
    await Promise.all(replicas.map((replica) => replica.stop()))
    await database.close()
  })

  it('let one of a hundred concurrent set-ups create the first account', async () => {
    const answers = await times(100, (n) =>
      replicaAt(n).ask('POST', '/auth/setup', { token: null, body: { username: `admin-${n}`, password: PASSWORD } }),
    )
    expect(countByStatus(answers)).toEqual({ 201: 1, 409: 99 })
    const { body } = await replicaAt(1).ask('GET', '/users')
    expect(body['users']).toHaveLength(1)
  })

  it('record concurrent uploads in the order of their commits, without gaps', async () => {
    const answers = await times(3 * PER_REPLICA, (n) =>
      replicaAt(n).ask('POST', '/runs', { body: smallDocument(`many-${n}`) }),
    )
    expect(countByStatus(answers)).toEqual({ 201: 3 * PER_REPLICA })
    const rows = await log()
    expect(rows.map(({ seq }) => seq)).toEqual(rows.map((_, i) => i + 1))
    expect(rows.map(({ recorded_at }) => recorded_at)).toEqual(
      rows.map(({ recorded_at }) => recorded_at).toSorted((a, b) => a - b),
    )
    // A row holds the number of its transaction. The numbers need not follow the order of commits, but each commit is
    // one contiguous part of the log.
    const transactions = await queryRows<{ xmin: string }>(
      database.superUrl,
      'SELECT xmin::text FROM events ORDER BY seq',
    )
    const parts = transactions.filter(({ xmin }, i) => xmin !== transactions[i - 1]?.xmin)
    expect(new Set(parts.map(({ xmin }) => xmin)).size).toBe(parts.length)
    // All replicas show the acknowledged uploads.
    for (const replica of replicas)
      expect((await replica.ask('GET', '/sets/chat/suites/smoke')).body).toMatchObject({ run_count: 3 * PER_REPLICA })
    const numbers = await queryRows<{ run_no: number }>(database.superUrl, 'SELECT run_no::int FROM runs')
    expect(new Set(numbers.map(({ run_no }) => run_no)).size).toBe(3 * PER_REPLICA)
  })

  it('store a document once if all receive it concurrently: one 201, else 200', async () => {
    for (const id of ['same-a', 'same-b', 'same-c']) {
      const answers = await times(3 * PER_REPLICA, (n) =>
        replicaAt(n).ask('POST', '/runs', { body: smallDocument(id) }),
      )
      expect(countByStatus(answers)).toEqual({ 201: 1, 200: 3 * PER_REPLICA - 1 })
      expect((await log()).filter(({ stream }) => stream === `run/${id}`)).toHaveLength(1)
    }
  })

  it('give a run id to the first of many different documents: one 201, else 409', async () => {
    for (const id of ['contested-a', 'contested-b']) {
      const answers = await times(3 * PER_REPLICA, (n) =>
        replicaAt(n).ask('POST', '/runs', { body: smallDocument(id, { word: `word${n}` }) }),
      )
      expect(countByStatus(answers)).toEqual({ 201: 1, 409: 3 * PER_REPLICA - 1 })
      const winner = answers.findIndex(({ status }) => status === 201)
      for (const replica of replicas)
        expect((await replica.ask('GET', `/runs/${id}/export`)).text).toBe(smallDocument(id, { word: `word${winner}` }))
    }
  })

  it('number the versions of a stream without gaps while all write to it', async () => {
    const pins = await times(60, (n) =>
      replicaAt(n).ask('PUT', '/projects/chat/suites/smoke/baseline', { body: { run_id: `many-${n % 7}` } }),
    )
    expect(countByStatus(pins)).toEqual({ 200: 60 })
    const versions = (await log())
      .filter(({ stream }) => stream === 'baseline/chat/smoke')
      .map(({ version }) => version)
    expect(versions).toEqual(versions.map((_, i) => i + 1))
    const { body } = await replicaAt(0).ask('GET', '/sets/chat/suites/smoke')
    for (const replica of replicas) expect((await replica.ask('GET', '/sets/chat/suites/smoke')).body).toEqual(body)
  })

  it('delete a run once, and leave no pin on a deleted run', async () => {
    const ids = Array.from({ length: 12 }, (_, n) => `many-${n + 20}`)
    const answers = await Promise.all(
      ids.flatMap((id, n) => [
        ...replicas.map((replica) => replica.ask('DELETE', `/runs/${id}`)),
        replicaAt(n)
          .ask('PUT', '/projects/chat/suites/smoke/baseline', { body: { run_id: id } })
          .then((answer) => ({ ...answer, pin: true })),
      ]),
    )
    const [pins, deletions] = [
      answers.filter((answer) => 'pin' in answer),
      answers.filter((answer) => !('pin' in answer)),
    ]
    expect(pins.every(({ status }) => status === 200 || status === 404)).toBe(true)
    expect(countByStatus(deletions)).toEqual({ 204: ids.length, 404: 2 * ids.length })
    const dangling = await queryRows(
      database.superUrl,
      'SELECT b.run_id FROM baselines b LEFT JOIN runs r ON r.id = b.run_id WHERE r.id IS NULL',
    )
    expect(dangling).toEqual([])
  })

  it('leave one admin if several admins demote each other concurrently', async () => {
    const [root] = (await replicaAt(0).ask('GET', '/users')).body['users'] as Array<{ id: string }>
    const others = await times(5, (n) =>
      replicaAt(n).ask('POST', '/users', { body: { username: `peer-${n}`, password: PASSWORD, role: 'admin' } }),
    )
    const ids = [root?.id ?? '', ...others.map(({ body }) => String(body['id']))]
    const answers = await Promise.all(
      ids.flatMap((id, i) =>
        replicas.map((replica, j) =>
          replica.ask('PATCH', `/users/${id}`, { body: (i + j) % 2 === 0 ? { role: 'viewer' } : { disabled: true } }),
        ),
      ),
    )
    expect(answers.every(({ status }) => status === 200 || status === 409)).toBe(true)
    const admins = (
      (await replicaAt(2).ask('GET', '/users')).body['users'] as Array<{ role: string; disabled: boolean }>
    ).filter(({ role, disabled }) => role === 'admin' && !disabled)
    expect(admins).toHaveLength(1)
  })

  it('accept no upload into a set after another replica acknowledged its restriction', async () => {
    const member = await replicaAt(0).ask('POST', '/users', {
      body: { username: 'member', password: PASSWORD, role: 'member' },
    })
    expect(member.status).toBe(201)
    const { body } = await replicaAt(1).ask('POST', '/auth/login', {
      token: null,
      body: { username: 'member', password: PASSWORD },
    })
    const token = String(body['token'])
    for (let round = 0; round < 8; round++) {
      const suite = `closing-${round}`
      let isRestricted = false
      const late: number[] = []
      const uploads = Array.from({ length: 9 }, async (_, n) => {
        for (let k = 0; k < 4; k++) {
          const wasRestricted = isRestricted
          const { status } = await replicaAt(n).ask('POST', '/runs', {
            token,
            body: smallDocument(`${suite}-${n}-${k}`, { suite }),
          })
          expect([201, 403]).toContain(status)
          if (wasRestricted) late.push(status)
        }
      })
      const restriction = replicaAt(round)
        .ask('PUT', `/sets/chat/suites/${suite}/restriction`)
        .then(({ status }) => {
          expect(status).toBe(204)
          isRestricted = true
        })
      await Promise.all([...uploads, restriction])
      expect(new Set(late)).toEqual(late.length > 0 ? new Set([403]) : new Set())
      // In the log all uploads precede the restriction.
      const rows = await queryRows<{ type: string }>(
        database.superUrl,
        "SELECT type FROM events e JOIN event_bodies b ON b.seq = e.seq WHERE type = 'SetRestricted' AND b.body::json->'data'->>'suite' = $1 OR type = 'RunIngested' AND b.body::json->'data'->>'suite' = $1 ORDER BY e.seq",
        [suite],
      )
      expect(rows.map(({ type }) => type).lastIndexOf('RunIngested')).toBeLessThan(
        rows.findIndex(({ type }) => type === 'SetRestricted'),
      )
    }
  })

  it('record each start, and no event for a restriction that is already set', async () => {
    expect(await queryRows(database.superUrl, "SELECT seq FROM events WHERE type = 'Started'")).toHaveLength(3)
    const before = (await log()).length
    const again = await times(30, (n) => replicaAt(n).ask('PUT', '/sets/chat/suites/closing-0/restriction'))
    expect(countByStatus(again)).toEqual({ 204: 30 })
    expect(await log()).toHaveLength(before)
  })
})
