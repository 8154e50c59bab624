import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { freshDatabase } from '../support/stores/fresh-database.ts'
import type { FreshDatabase } from '../support/postgres/databases.ts'
import { rowsOf, startReplicas, tally, turn } from '../support/servers/replicas.ts'
import type { Replica } from '../support/servers/replicas.ts'
import { smallDocument } from '../support/documents/small-document.ts'

const PASSWORD = 'correct horse battery'
const PER_REPLICA = 30

let database: FreshDatabase
let replicas: readonly Replica[]

const times = <T>(count: number, make: (n: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, n) => make(n)))
const on = (n: number): Replica => turn(replicas, n)
const first = (): Replica => on(0)

type LogRow = { readonly seq: number; readonly recorded_at: number; readonly stream: string; readonly version: number }
const log = () =>
  rowsOf<LogRow>(
    database.superUrl,
    'SELECT e.seq::int, e.recorded_at::float8, b.stream, b.version::int FROM events e JOIN event_bodies b ON b.seq = e.seq ORDER BY e.seq',
  )

describe('three replicas of the service on one database', () => {
  beforeAll(async () => {
    database = await freshDatabase()
    replicas = await startReplicas(3, database.appUrl)
  })
  afterAll(async () => {
    await Promise.all(replicas.map((replica) => replica.stop()))
    await database.close()
  })

  it('let one of a hundred set-ups at once make the first account', async () => {
    const answers = await times(100, (n) =>
      on(n).ask('POST', '/auth/setup', { token: null, body: { username: `admin-${n}`, password: PASSWORD } }),
    )
    expect(tally(answers)).toEqual({ 201: 1, 409: 99 })
    const { body } = await on(1).ask('GET', '/users')
    expect(body['users']).toHaveLength(1)
  })

  it('record what all of them upload at once in one order without a gap, as it was committed', async () => {
    const answers = await times(3 * PER_REPLICA, (n) =>
      on(n).ask('POST', '/runs', { body: smallDocument(`many-${n}`) }),
    )
    expect(tally(answers)).toEqual({ 201: 3 * PER_REPLICA })
    const rows = await log()
    expect(rows.map(({ seq }) => seq)).toEqual(rows.map((_, i) => i + 1))
    expect(rows.map(({ recorded_at }) => recorded_at)).toEqual(
      rows.map(({ recorded_at }) => recorded_at).toSorted((a, b) => a - b),
    )
    // The transaction that made a row is in the row: its number may not tell the order of commits, but each commit is
    // one stretch of the log.
    const groups = await rowsOf<{ xmin: string }>(database.superUrl, 'SELECT xmin::text FROM events ORDER BY seq')
    const stretches = groups.filter(({ xmin }, i) => xmin !== groups[i - 1]?.xmin)
    expect(new Set(stretches.map(({ xmin }) => xmin)).size).toBe(stretches.length)
    // What is acknowledged is there on all of them.
    for (const replica of replicas)
      expect((await replica.ask('GET', '/sets/chat/suites/smoke')).body).toMatchObject({ run_count: 3 * PER_REPLICA })
    const numbers = await rowsOf<{ run_no: number }>(database.superUrl, 'SELECT run_no::int FROM runs')
    expect(new Set(numbers.map(({ run_no }) => run_no)).size).toBe(3 * PER_REPLICA)
  })

  it('store a document that all are sent at once a single time: one 201, else 200', async () => {
    for (const id of ['same-a', 'same-b', 'same-c']) {
      const answers = await times(3 * PER_REPLICA, (n) => on(n).ask('POST', '/runs', { body: smallDocument(id) }))
      expect(tally(answers)).toEqual({ 201: 1, 200: 3 * PER_REPLICA - 1 })
      expect((await log()).filter(({ stream }) => stream === `run/${id}`)).toHaveLength(1)
    }
  })

  it('give a run id to the first of many different documents: one 201, else 409, and its content everywhere', async () => {
    for (const id of ['contested-a', 'contested-b']) {
      const answers = await times(3 * PER_REPLICA, (n) =>
        on(n).ask('POST', '/runs', { body: smallDocument(id, { word: `word${n}` }) }),
      )
      expect(tally(answers)).toEqual({ 201: 1, 409: 3 * PER_REPLICA - 1 })
      const winner = answers.findIndex(({ status }) => status === 201)
      for (const replica of replicas)
        expect((await replica.ask('GET', `/runs/${id}/export`)).text).toBe(smallDocument(id, { word: `word${winner}` }))
    }
  })

  it('count the versions of a stream without a gap while all of them write to it', async () => {
    const pins = await times(60, (n) =>
      on(n).ask('PUT', '/projects/chat/suites/smoke/baseline', { body: { run_id: `many-${n % 7}` } }),
    )
    expect(tally(pins)).toEqual({ 200: 60 })
    const versions = (await log())
      .filter(({ stream }) => stream === 'baseline/chat/smoke')
      .map(({ version }) => version)
    expect(versions).toEqual(versions.map((_, i) => i + 1))
    const { body } = await first().ask('GET', '/sets/chat/suites/smoke')
    for (const replica of replicas) expect((await replica.ask('GET', '/sets/chat/suites/smoke')).body).toEqual(body)
  })

  it('delete a run once, and never one under a pin that is left behind', async () => {
    const ids = Array.from({ length: 12 }, (_, n) => `many-${n + 20}`)
    const answers = await Promise.all(
      ids.flatMap((id, n) => [
        ...replicas.map((replica) => replica.ask('DELETE', `/runs/${id}`)),
        on(n)
          .ask('PUT', '/projects/chat/suites/smoke/baseline', { body: { run_id: id } })
          .then((answer) => ({ ...answer, pin: true })),
      ]),
    )
    const [pins, deletions] = [
      answers.filter((answer) => 'pin' in answer),
      answers.filter((answer) => !('pin' in answer)),
    ]
    expect(pins.every(({ status }) => status === 200 || status === 404)).toBe(true)
    expect(tally(deletions)).toEqual({ 204: ids.length, 404: 2 * ids.length })
    const dangling = await rowsOf(
      database.superUrl,
      'SELECT b.run_id FROM baselines b LEFT JOIN runs r ON r.id = b.run_id WHERE r.id IS NULL',
    )
    expect(dangling).toEqual([])
  })

  it('leave one admin of several that demote each other at once', async () => {
    const [root] = (await first().ask('GET', '/users')).body['users'] as Array<{ id: string }>
    const others = await times(5, (n) =>
      on(n).ask('POST', '/users', { body: { username: `peer-${n}`, password: PASSWORD, role: 'admin' } }),
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
      (await on(2).ask('GET', '/users')).body['users'] as Array<{ role: string; disabled: boolean }>
    ).filter(({ role, disabled }) => role === 'admin' && !disabled)
    expect(admins).toHaveLength(1)
  })

  it('let nothing into a run set once another replica acknowledged its restriction', async () => {
    const member = await first().ask('POST', '/users', {
      body: { username: 'member', password: PASSWORD, role: 'member' },
    })
    expect(member.status).toBe(201)
    const { body } = await on(1).ask('POST', '/auth/login', {
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
          const { status } = await on(n).ask('POST', '/runs', {
            token,
            body: smallDocument(`${suite}-${n}-${k}`, { suite }),
          })
          expect([201, 403]).toContain(status)
          if (wasRestricted) late.push(status)
        }
      })
      const restriction = on(round)
        .ask('PUT', `/sets/chat/suites/${suite}/restriction`)
        .then(({ status }) => {
          expect(status).toBe(204)
          isRestricted = true
        })
      await Promise.all([...uploads, restriction])
      expect(new Set(late)).toEqual(late.length > 0 ? new Set([403]) : new Set())
      // In the log no upload of theirs comes after the restriction.
      const rows = await rowsOf<{ type: string }>(
        database.superUrl,
        "SELECT type FROM events e JOIN event_bodies b ON b.seq = e.seq WHERE type = 'SetRestricted' AND b.body::json->'data'->>'suite' = $1 OR type = 'RunIngested' AND b.body::json->'data'->>'suite' = $1 ORDER BY e.seq",
        [suite],
      )
      expect(rows.map(({ type }) => type).lastIndexOf('RunIngested')).toBeLessThan(
        rows.findIndex(({ type }) => type === 'SetRestricted'),
      )
    }
  })

  it('record each start, and say nothing twice that is set already', async () => {
    const starts = await rowsOf(database.superUrl, "SELECT seq FROM events WHERE type = 'Started'")
    expect(starts).toHaveLength(3)
    const before = (await log()).length
    const again = await times(30, (n) => on(n).ask('PUT', '/sets/chat/suites/closing-0/restriction'))
    expect(tally(again)).toEqual({ 204: 30 })
    expect(await log()).toHaveLength(before)
  })
})
