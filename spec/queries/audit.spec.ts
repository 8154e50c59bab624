import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { CLI } from '../../queries/access/viewer.ts'
import { findAuditRecord, listAudit, type AuditFilters, type AuditList } from '../../queries/audit.ts'
import type { Actor, NewEvent } from '../../storage/command.ts'
import { recordCommitment, event, recordLeaf } from '../../storage/log/event.ts'
import { insertRows, statement } from '../../storage/sql.ts'
import type { Query, Reader } from '../../storage/storage.ts'
import { runCount } from '../support/random/runs.ts'
import { onPostgres } from '../support/stores/open-fresh.ts'
import { openStorage, type SpecStorage } from '../support/stores/open-storage.ts'
import { UNINDEXED_PLAN, queryPlan } from '../support/stores/query-plan.ts'
import { aCommand } from '../support/stores/store.ts'

const actorOf = (user_id: string | null, credential_id: string | null): Actor => ({
  address: '192.0.2.7',
  credential_id,
  kind: credential_id ? 'apikey' : 'anonymous',
  scope: 'write',
  user_id,
})

let store: SpecStorage
let reader: Reader
let clock: number
beforeEach(async () => {
  clock = 1_777_885_244_000
  store = await openStorage({ now: () => clock })
  reader = store.reader
})
afterEach(() => store.close())

const record = async (actor: Actor, ...events: readonly NewEvent[]): Promise<void> => {
  for (const outcome of await store.commitAll(aCommand(events, { actor, request_id: 'request-1' })))
    expect(outcome.ok).toBe(true)
}
const label = (id: string, text: string | null): Promise<void> =>
  store.run(statement`INSERT INTO principals (id, kind, label) VALUES (${id}, 'user', ${text})`)

const all = (filters: AuditFilters = {}, limit = 200, cursor?: string): Promise<AuditList> =>
  listAudit(reader, CLI, filters, { limit, cursor })
const seqs = async (filters: AuditFilters = {}): Promise<number[]> => (await all(filters)).events.map(({ seq }) => seq)

/** Erases a record: records an `EventErased` event and deletes the body. */
const erase = async (seq: number): Promise<void> => {
  await record(
    actorOf(null, null),
    event('erasure/e', 'EventErased', { cause: 'records', erasure_id: 'e', kept: null, reference: 'case-1', seq }),
  )
  await store.run(statement`DELETE FROM event_bodies WHERE seq = ${seq}`)
}

// On PostgreSQL the property below and the comparison of both storages over HTTP show the same.
describe.skipIf(onPostgres)('the audit trail', () => {
  it('returns an event in full, with the current label of its actor', async () => {
    await label('U1', 'alice')
    await record(
      actorOf('U1', 'K1'),
      event('baseline/chat/smoke', 'BaselinePinned', { project: 'chat', run_id: 'r1', suite: 'smoke' }),
    )
    expect(await all()).toEqual({
      events: [
        {
          seq: 1,
          recorded_at: '2026-05-04T09:00:44+00:00',
          type: 'BaselinePinned',
          stream: 'baseline/chat/smoke',
          version: 1,
          actor: {
            kind: 'apikey',
            scope: 'write',
            user_id: 'U1',
            credential_id: 'K1',
            address: '192.0.2.7',
            label: 'alice',
          },
          request_id: 'request-1',
          data: { project: 'chat', run_id: 'r1', suite: 'smoke' },
        },
      ],
      next_cursor: null,
    })
    await store.run(statement`UPDATE principals SET label = NULL`)
    expect((await all()).events[0]?.actor).toMatchObject({ user_id: 'U1', label: null })
  })

  it('labels an actor without an account by its credential, and an anonymous actor not at all', async () => {
    await label('static:write:1', 'write')
    await record(actorOf(null, 'static:write:1'), event('run/a', 'RunIngested', {}))
    await record(actorOf(null, null), event('run/b', 'RunIngested', {}))
    expect((await all()).events.map(({ actor }) => actor?.label)).toEqual([null, 'write'])
  })

  it('is empty for an empty log, with any filters', async () => {
    for (const filters of [
      {},
      { actor: 'x' },
      { type: 'RunIngested' },
      { stream: 'run/' },
      { since: 0, until: 9e12 },
      { actor: 'x', type: 'RunIngested', stream: 'run/' },
    ])
      expect(await all(filters)).toEqual({ events: [], next_cursor: null })
    expect(await findAuditRecord(reader, CLI, 1)).toBeNull()
  })

  it('returns the first page for an invalid cursor', async () => {
    for (let i = 0; i < 3; i++) await record(actorOf(null, null), event('run/a', 'RunIngested', {}))
    for (const cursor of ['', 'x', '-1', '1.5', '9'.repeat(30)])
      expect(
        (await all({}, 2, cursor)).events.map(({ seq }) => seq),
        cursor,
      ).toEqual([3, 2])
    expect(await all({}, 2, '0')).toEqual({ events: [], next_cursor: null })
  })

  it('reads a stream filter as a prefix only if it ends in a slash; finds an empty last part too', async () => {
    const streams = [
      'baseline/chat/smoke',
      'baseline/chat/',
      'baseline/chatter/smoke',
      'baseline//smoke',
      'run/chat',
      'accounts',
      'access/chat',
    ]
    await record(actorOf(null, null), ...streams.map((stream) => event(stream, 'Happened', {})))
    const found = async (stream: string) => (await all({ stream })).events.map((each) => each.stream).reverse()
    expect(await found('baseline/')).toEqual(streams.slice(0, 4))
    expect(await found('baseline/chat/')).toEqual(streams.slice(0, 2))
    expect(await found('baseline//')).toEqual(['baseline//smoke'])
    expect(await found('baseline/chat/smoke')).toEqual(['baseline/chat/smoke'])
    for (const none of ['baseline', 'baseline/ch', 'baseline/ch/', '/', '', 'accounts/', 'b%', 'run'])
      expect(await found(none), none).toEqual([])
  })

  it('finds actors by account, by credential, and by a label, which stands for every id that has it', async () => {
    await label('U1', 'alice')
    await label('U2', 'alice')
    await label('K1', 'ci')
    await record(actorOf('U1', 'K1'), event('run/a', 'A', {}))
    await record(actorOf('U2', 'K2'), event('run/a', 'A', {}))
    await record(actorOf(null, 'K1'), event('run/a', 'A', {}))
    expect(await seqs({ actor: 'U1' })).toEqual([1])
    expect(await seqs({ actor: 'K1' })).toEqual([3, 1])
    expect(await seqs({ actor: 'alice' })).toEqual([2, 1])
    expect(await seqs({ actor: 'ci' })).toEqual([3, 1])
    expect(await seqs({ actor: 'Alice' })).toEqual([])
    expect(await seqs({ actor: '' })).toEqual([])
  })

  it('includes events at both ends of a time range', async () => {
    for (const at of [1000, 1000, 2000, 4000]) {
      clock = at
      await record(actorOf(null, null), event('run/a', 'A', {}))
    }
    expect(await seqs({ since: 1000, until: 1000 })).toEqual([2, 1])
    expect(await seqs({ since: 1001 })).toEqual([4, 3])
    expect(await seqs({ until: 3999 })).toEqual([3, 2, 1])
    expect(await seqs({ since: 4001 })).toEqual([])
    expect(await seqs({ until: 999 })).toEqual([])
    expect(await seqs({ since: 3000, until: 2000 })).toEqual([])
    expect(await seqs({ since: -8e15, until: 9e15 })).toEqual([4, 3, 2, 1])
  })

  it('shows only the number, the time and the type of an erased event', async () => {
    await label('U1', 'alice')
    await record(actorOf('U1', 'K1'), event('run/a', 'RunIngested', { secret: 1 }), event('run/a', 'RunDeleted', {}))
    await erase(1)
    const erased = {
      seq: 1,
      recorded_at: '2026-05-04T09:00:44+00:00',
      type: 'RunIngested',
      stream: null,
      version: null,
      actor: null,
      request_id: null,
      data: null,
    }
    expect((await all({ type: 'RunIngested' })).events).toEqual([erased])
    expect((await all()).events.at(-1)).toEqual(erased)
    expect(await findAuditRecord(reader, CLI, 1)).toEqual({
      ...erased,
      salt: null,
      body: null,
      commitment: expect.any(String) as string,
      leaf: expect.any(String) as string,
    })
    for (const filters of [{ actor: 'alice' }, { actor: 'K1' }, { stream: 'run/a' }, { stream: 'run/' }])
      expect(await seqs(filters)).toEqual([2])
    expect(await seqs({ actor: 'alice', type: 'RunIngested' })).toEqual([])
  })

  it('returns all data that is needed to recompute the commitment and the leaf', async () => {
    await record(actorOf('U1', 'K1'), event('run/ä', 'RunIngested', { note: 'größe' }))
    const found = await findAuditRecord(reader, CLI, 1)
    const commitment = recordCommitment(Buffer.from(found?.salt ?? '', 'hex'), found?.body ?? '')
    expect(found?.commitment).toBe(commitment.toString('hex'))
    expect(found?.leaf).toBe(
      recordLeaf(commitment, Date.parse(found?.recorded_at ?? ''), 'RunIngested').toString('hex'),
    )
  })
})

it('the audit trail still finds other records by their actor if a body is no longer JSON', async () => {
  await record(actorOf('U1', null), event('run/a', 'A', {}), event('run/b', 'A', {}))
  await store.sql.execute(`DROP TRIGGER event_bodies_no_update${onPostgres ? ' ON event_bodies' : ''}`)
  const spoil = store.sql.execute("UPDATE event_bodies SET body = 'no JSON' WHERE seq = 1")
  // PostgreSQL stores columns that it computes from the body (the actor), so it rejects a body that is not JSON.
  if (onPostgres) return expect(spoil).rejects.toThrow('invalid input syntax for type json')
  await spoil
  expect(await seqs({ actor: 'U1' })).toEqual([2])
  await expect(all()).rejects.toThrow(SyntaxError)
})

// Few values, so that several filters match the same event. One label belongs to an account and to a credential.
const LABELS: Readonly<Record<string, string | null>> = { U1: 'alice', U2: 'bob', K1: 'alice', K2: null }
const someone = fc.record({
  user: fc.constantFrom(null, 'U1', 'U2'),
  credential: fc.constantFrom(null, 'K1', 'K2', 'K3'),
})
const happened = fc.record({
  who: someone,
  type: fc.constantFrom('Pinned', 'Ingested', 'Deleted'),
  stream: fc.constantFrom('run/a', 'run/b', 'baseline/p/s', 'baseline/p/t', 'baseline/q/s', 'accounts'),
  later: fc.constantFrom(0, 1, 1000),
})
const asked = fc.record(
  {
    actor: fc.constantFrom('alice', 'bob', 'U1', 'K2', 'K3', 'nobody'),
    type: fc.constantFrom('Pinned', 'Ingested', 'Other'),
    stream: fc.constantFrom('run/', 'run/a', 'baseline/', 'baseline/p/', 'accounts', 'none'),
    since: fc.nat({ max: 6000 }),
    until: fc.nat({ max: 6000 }),
  },
  { requiredKeys: [] },
)

describe('any filters on any log', () => {
  it('return the same events as a filter over the whole log, page by page', async () => {
    for (const [id, text] of Object.entries(LABELS)) await label(id, text)
    await fc.assert(
      fc.asyncProperty(
        fc.array(happened, { maxLength: 30 }),
        fc.array(asked, { minLength: 1, maxLength: 5 }),
        fc.integer({ min: 1, max: 7 }),
        async (events, filterings, limit) => {
          // All runs of this property share one store. Each appends its own events, and `since` excludes earlier ones.
          const [before, from] = [(await store.head()).size, clock + 1]
          const model: Array<{ seq: number; at: number; type: string; stream: string; ids: Array<string | null> }> = []
          clock = from
          for (const { who, type, stream, later } of events) {
            clock += later
            await record(actorOf(who.user, who.credential), event(stream, type, {}))
            model.push({
              seq: before + model.length + 1,
              at: clock - from,
              type,
              stream,
              ids: [who.user, who.credential],
            })
          }
          for (const { actor, type, stream, since = 0, until } of filterings) {
            const expected = model.filter(
              (each) =>
                (actor === undefined || each.ids.some((id) => id !== null && (id === actor || LABELS[id] === actor))) &&
                (type === undefined || each.type === type) &&
                (stream === undefined ||
                  each.stream === stream ||
                  (stream.endsWith('/') && each.stream.startsWith(stream))) &&
                each.at >= since &&
                (until === undefined || each.at <= until),
            )
            const found: number[] = []
            let cursor: string | undefined
            do {
              const page = await all(
                { actor, type, stream, since: from + since, until: until === undefined ? undefined : from + until },
                limit,
                cursor,
              )
              expect(page.events.length).toBeLessThanOrEqual(limit)
              found.push(...page.events.map(({ seq }) => seq))
              if (page.next_cursor !== null) expect(page.events).toHaveLength(limit)
              cursor = page.next_cursor ?? undefined
            } while (cursor !== undefined)
            expect(found).toEqual(expected.map(({ seq }) => seq).reverse())
          }
        },
      ),
      { numRuns: runCount(60, 20) },
    )
  })

  it.skipIf(onPostgres)('find the few records that match two common filters, over all steps of a walk', async () => {
    // Enough for more than two steps of a walk.
    const many = 9000
    const middle = (many / 9) * 4
    const shared = [3, middle, many - 1]
    const events = Array.from({ length: many }, (_, i) =>
      event(i % 2 === 0 || shared.includes(i + 1) ? 'accounts' : `run/${i}`, i % 2 === 1 ? 'Ingested' : 'Changed', {}),
    )
    await record(actorOf('U1', null), ...events)
    const expected = events
      .flatMap(({ stream, type }, i) => (stream === 'accounts' && type === 'Ingested' ? [i + 1] : []))
      .reverse()
    expect(expected).toEqual([middle])
    expect(await seqs({ stream: 'accounts', type: 'Ingested', actor: 'U1' })).toEqual(expected)
    expect(await seqs({ stream: 'accounts', type: 'Ingested', actor: 'U2' })).toEqual([])
  })

  it.skipIf(onPostgres)('accept a label of more ids than one query can merge', async () => {
    const ids = Array.from({ length: 130 }, (_, i) => `K${i}`)
    await store.run(
      insertRows(
        'principals',
        ['id', 'kind', 'label'],
        [...ids.map((id) => [id, 'user', 'ci']), ...ids.map((id) => [`k${id}`, 'key', 'ci'])],
      ),
    )
    await store.commitAll(
      ...ids.map((id, i) =>
        aCommand([event('run/a', 'A', {})], { actor: actorOf(i % 3 === 0 ? (ids[i + 1] ?? null) : null, id) }),
      ),
    )
    // A filter does not find a key by its label, because the owner of a key chooses the label freely.
    await store.commitAll(aCommand([event('run/b', 'A', {})], { actor: actorOf('U9', 'kK1') }))
    expect(await seqs({ actor: 'ci' })).toEqual(ids.map((_, i) => i + 1).reverse())
    expect((await all({ actor: 'ci', type: 'A' }, 5)).next_cursor).toBe('126')
  })
})

it('returns no audit events to a viewer who does not see every run set', async () => {
  await record(actorOf('U1', 'K1'), event('run/a', 'A', {}))
  const someone = { ...CLI, sees_all: false }
  expect(await listAudit(reader, someone, {}, { limit: 10 })).toEqual({ events: [], next_cursor: null })
  expect(await findAuditRecord(reader, someone, 1)).toBeNull()
  expect(await findAuditRecord(reader, CLI, 1)).not.toBeNull()
})

it('every query of the audit trail reads an index in its order', async () => {
  await label('U1', 'alice')
  await label('U2', 'bob')
  // The number of `Common` events is larger than the first step of a walk reads, and `Rare` events are few, so that
  // each filter leads a walk in some query.
  await record(
    actorOf('U1', 'K1'),
    ...Array.from({ length: 1200 }, (_, i) => event(`run/${i}`, 'Common', {})),
    event('baseline/p/s', 'Rare', {}),
  )
  await record(actorOf('U2', 'K2'), event('run/a', 'Rare', {}))
  const tokens: Array<NonNullable<Query<unknown>['token']>> = []
  const noting: Reader = {
    dialect: reader.dialect,
    read: (query) => {
      if (query.token) tokens.push(query.token)
      return reader.read(query)
    },
    readAll: (queries) => {
      for (const { token } of Object.values(queries)) if (token) tokens.push(token)
      return reader.readAll(queries)
    },
  }
  for (const actor of [undefined, 'alice', 'bob'])
    for (const stream of [undefined, 'run/', 'run/a', 'baseline/p/'])
      for (const type of [undefined, 'Common', 'Rare'])
        for (const since of [undefined, 0])
          await listAudit(noting, CLI, { actor, stream, type, since, until: since }, { limit: 10 })
  const texts = new Map(tokens.map((token) => [token.sql, token]))
  expect(texts.size).toBeGreaterThan(25)
  for (const [text, token] of texts) {
    for (const line of await queryPlan(store, token)) expect(line, text).not.toMatch(UNINDEXED_PLAN)
  }
})
