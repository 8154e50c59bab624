import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Actor } from '../../../storage/command.ts'
import { bodyText, recordCommitment, event, recordLeaf, seal, streamOf, type Body } from '../../../storage/log/event.ts'
import { findRecord, recordedOf } from '../../../storage/log/records.ts'
import { sql } from '../../../storage/sql.ts'
import { onPostgres } from '../../support/stores/open-fresh.ts'
import { openStorage, type SpecStorage } from '../../support/stores/open-storage.ts'
import { sqlOnDatabase, type PlainSql } from '../../support/stores/plain-sql.ts'
import { aCommand } from '../../support/stores/store.ts'

const actor: Actor = { address: null, credential_id: null, kind: 'static', scope: 'write', user_id: null }

const CHECK: Body = {
  // Unordered on purpose: the text is canonical for any order of the input.
  version: 1,
  stream: 'run/a%2Fb',
  request_id: '01K2ZQ7C8V4T9E6M3B5N1R0WXA',
  data: {
    suite: 'smoke',
    project: 'chat',
    document_sha256: '44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a',
    document_bytes: 2,
  },
  actor,
}

const CHECK_TEXT =
  '{"actor":{"address":null,"credential_id":null,"kind":"static","scope":"write","user_id":null},"data":{"document_bytes":2,"document_sha256":"44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a","project":"chat","suite":"smoke"},"request_id":"01K2ZQ7C8V4T9E6M3B5N1R0WXA","stream":"run/a%2Fb","version":1}'

describe('a sealed event', () => {
  it('has the published check value, byte for byte', () => {
    const { body, commitment, leaf } = seal(
      CHECK,
      'RunIngested',
      1777885244000,
      Buffer.from('000102030405060708090a0b0c0d0e0f', 'hex'),
    )
    expect(body).toBe(CHECK_TEXT)
    expect(commitment.toString('hex')).toBe('df69e366368b9c3d46c1fb3f75d692b043753173ef9e7b4b849c5be72c1e474e')
    expect(leaf.toString('hex')).toBe('3585f7662731e81894fbc8af33e09c11309efa334bff5f8d648b0fff935042c3')
  })

  it('has a commitment to salt and body, and a leaf of commitment, time and type', () => {
    const sha256 = (...parts: Array<Uint8Array | string>) =>
      createHash('sha256')
        .update(Buffer.concat(parts.map((part) => Buffer.from(part as string))))
        .digest()
    const salt = Buffer.alloc(16, 7)
    const commitment = recordCommitment(salt, 'ä')
    expect(commitment).toEqual(sha256(salt, 'ä'))
    expect(recordLeaf(commitment, 12, 'Started')).toEqual(
      sha256(Buffer.of(0), `{"commitment":"${commitment.toString('hex')}","recorded_at":12,"type":"Started"}`),
    )
  })

  it('has a new salt of 16 bytes each time', () => {
    const salts = Array.from({ length: 100 }, () => seal(CHECK, 'RunIngested', 0).salt)
    expect(new Set(salts.map((salt) => salt.toString('hex'))).size).toBe(100)
    expect(salts.every((salt) => salt.length === 16)).toBe(true)
  })
})

describe('the text of an event body', () => {
  it('is canonical: keys in UTF-16 order, no white space, shortest numbers', () =>
    expect(
      bodyText({
        ...CHECK,
        data: { '\u{1f600}': 1, '\ufb33': 1e21, z: 1.0, a: [null, true, '\u2028"\n'], 10: -0, 9: 0.1 },
      }),
    ).toContain('"data":{"10":0,"9":0.1,"a":[null,true,"\u2028\\"\\n"],"z":1,"\u{1f600}":1,"\ufb33":1e+21}'))

  it('contains the fields of an actor and no others', () => {
    const labelled = { ...actor, label: 'a name of a person' }
    expect(bodyText({ ...CHECK, actor: labelled })).toBe(CHECK_TEXT)
  })

  it('parses to the original value', () =>
    fc.assert(
      fc.property(fc.jsonValue(), fc.string({ unit: 'grapheme' }), fc.integer({ min: 1 }), (data, id, version) => {
        const body = { actor, data, request_id: null, stream: streamOf('run', id), version }
        // JSON has no negative zero.
        expect(JSON.parse(bodyText(body))).toEqual(JSON.parse(JSON.stringify(body)))
      }),
    ))

  it.each([{ name: '\ud800' }, { '\udc00': 1 }, { n: NaN }, { n: Infinity }])(
    'rejects what JSON cannot represent',
    (data) => expect(() => bodyText({ ...CHECK, data })).toThrow(),
  )
})

describe('the name of a stream', () => {
  it.each([
    [['run', 'a/b'], 'run/a%2Fb'],
    [['baseline', 'chat', 'smoke test'], 'baseline/chat/smoke%20test'],
    [['baseline', '', ''], 'baseline//'],
    [['run', '%2F'], 'run/%252F'],
    [['run', "ä!'()*~"], "run/%C3%A4!'()*~"],
    [['accounts'], 'accounts'],
  ] as const)('escapes each part of %j', ([kind, ...parts], stream) => expect(streamOf(kind, ...parts)).toBe(stream))

  it('separates its parts whatever they contain', () =>
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'grapheme' }), { minLength: 1, maxLength: 3 }), (parts) => {
        const [kind, ...escaped] = streamOf('kind', ...parts).split('/')
        expect([kind, ...escaped.map(decodeURIComponent)]).toEqual(['kind', ...parts])
      }),
    ))
})

describe('the tables of the log', () => {
  let store: SpecStorage
  /**
   * One connection of each kind. All are alike on SQLite. On PostgreSQL: the role of the service, and a superuser in
   * replica mode, which disables ordinary triggers.
   */
  let connections: PlainSql[]
  beforeEach(async () => {
    store = await openStorage()
    await store.commitAll(
      aCommand([event('run/a', 'A', { n: 1 }), event('run/b', 'B', { n: 2 }), event('run/a', 'A', { n: 3 })]),
    )
    connections = [store.sql]
    if (store.databaseUrl === null) return
    await store.sql.execute('SET session_replication_role = replica')
    connections.push(sqlOnDatabase(store.databaseUrl))
  })
  afterEach(async () => {
    for (const { close } of connections) await close()
    await store.close()
  })

  const rows = async () => ({
    events: await store.sql.rows('SELECT * FROM events ORDER BY seq'),
    bodies: await store.sql.rows('SELECT * FROM event_bodies ORDER BY seq'),
  })
  /** The error of any integrity constraint or of a trigger, or the error for missing rights. */
  const REFUSED = expect.objectContaining({
    code: expect.stringMatching(onPostgres ? /^23|^42501$/ : /^SQLITE_CONSTRAINT_TRIGGER$/) as string,
  }) as Error

  const expectRefused = async (text: string): Promise<void> => {
    for (const { execute } of connections) await expect(execute(text), text).rejects.toThrow(REFUSED)
  }

  it('store dense positions, dense versions per stream, and times in order', async () => {
    const recorded = await Promise.all([1, 2, 3].map(async (seq) => recordedOf((await store.read(findRecord(seq)))!)))
    expect(recorded.map((record) => [record?.seq, record?.stream, record?.version, record?.data])).toEqual([
      [1, 'run/a', 1, { n: 1 }],
      [2, 'run/b', 1, { n: 2 }],
      [3, 'run/a', 2, { n: 3 }],
    ])
    const times = recorded.map((record) => record?.recorded_at ?? 0)
    expect(times).toEqual([...times].sort((a, b) => a - b))
  })

  const ZERO = onPostgres ? "'\\x00'" : "x'00'"
  const anEvent = (seq: number): string =>
    `INTO events (seq, recorded_at, type, commitment, leaf) VALUES (${seq}, 0, 'X', ${ZERO}, ${ZERO})`
  const aBody = (seq: number, stream: string, version: number): string =>
    `INTO event_bodies (seq, stream, version, salt, body) VALUES (${seq}, '${stream}', ${version}, ${ZERO}, '{}')`
  const DIALECT_STATEMENTS = onPostgres
    ? [
        'TRUNCATE events',
        'TRUNCATE event_bodies',
        'TRUNCATE events, event_bodies',
        'UPDATE events SET seq = 1 WHERE seq = 3',
        'UPDATE event_bodies SET seq = 1 WHERE seq = 3',
      ]
    : [
        'UPDATE OR REPLACE events SET seq = 1 WHERE seq = 3',
        `REPLACE ${anEvent(3)}`,
        `INSERT OR REPLACE ${anEvent(1)}`,
        'UPDATE OR REPLACE event_bodies SET seq = 1 WHERE seq = 3',
        `REPLACE ${aBody(3, 'run/c', 1)}`,
        `INSERT OR REPLACE ${aBody(4, 'run/a', 1)}`,
      ]
  const FORBIDDEN = [
    'UPDATE events SET recorded_at = 0 WHERE seq = 1',
    'UPDATE events SET seq = 9 WHERE seq = 3',
    'UPDATE events SET type = type',
    'DELETE FROM events WHERE seq = 3',
    'DELETE FROM events',
    `INSERT ${anEvent(3)} ON CONFLICT (seq) DO UPDATE SET type = 'X'`,
    `INSERT ${anEvent(5)}`,
    `INSERT ${anEvent(0)}`,
    `INSERT ${anEvent(-1)}`,
    `INSERT INTO events (recorded_at, type, commitment, leaf) VALUES (0, 'X', ${ZERO}, ${ZERO})`,
    "UPDATE event_bodies SET body = '{}' WHERE seq = 1",
    'UPDATE event_bodies SET seq = 9 WHERE seq = 3',
    'UPDATE event_bodies SET salt = salt',
    'DELETE FROM event_bodies WHERE seq = 3',
    'DELETE FROM event_bodies',
    `INSERT ${aBody(3, 'run/c', 1)}`,
    `INSERT ${aBody(4, 'run/c', 1)}`,
    `INSERT ${aBody(2, 'run/c', 1)}`,
    `INSERT ${aBody(0, 'run/c', 1)}`,
    `INSERT ${aBody(3, 'run/a', 2)} ON CONFLICT (seq) DO UPDATE SET body = '{}'`,
    ...DIALECT_STATEMENTS,
  ]

  it('reject every write on every connection, except the next event with its body', async () => {
    const rowsBefore = await rows()
    for (const text of FORBIDDEN) {
      // On SQLite, a REPLACE fires the triggers of DELETE only if `recursive_triggers` is on. It is on for our
      // connection, and off for a plain one.
      await expectRefused(text)
      if (!onPostgres) await expect(store.run({ ...sql.unsafe``, sql: text }), text).rejects.toThrow(REFUSED)
      expect(await rows(), text).toEqual(rowsBefore)
    }
  })

  it('reject a second body with the same version of a stream', async () => {
    await store.sql.execute(`INSERT ${anEvent(4)}`)
    for (const verb of ['INSERT', ...(onPostgres ? [] : ['REPLACE', 'INSERT OR IGNORE'])])
      await expectRefused(`${verb} ${aBody(4, 'run/a', 1)}`)
  })

  it('allow the deletion of a body that an erasure names, and no other deletion', async () => {
    await store.commitAll(aCommand([event('erasure/e', 'EventErased', { seq: 2 })]))
    await store.sql.execute('DELETE FROM event_bodies WHERE seq = 2')
    expect(await store.sql.column('SELECT seq FROM event_bodies ORDER BY seq')).toEqual([1, 3, 4])
    for (const text of [
      'DELETE FROM event_bodies WHERE seq = 1',
      'DELETE FROM event_bodies WHERE seq = 4',
      'DELETE FROM events WHERE seq = 2',
      `INSERT ${aBody(2, 'run/b', 1)}`,
    ])
      await expectRefused(text)
    expect(await store.read(findRecord(2))).toMatchObject({ seq: 2, type: 'B', stream: null, body: null })
    expect(recordedOf((await store.read(findRecord(2)))!)).toBeNull()
  })

  it('do not allow the deletion of a body that only an event of another type or stream names', async () => {
    await store.commitAll(aCommand([event('erasure/e', 'Started', { seq: 2 })]))
    await store.commitAll(aCommand([event('service/i', 'EventErased', { seq: 2 })]))
    await expectRefused('DELETE FROM event_bodies WHERE seq = 2')
  })

  // SQLite has no roles: any process that can write the file can remove the triggers.
  if (onPostgres)
    it('do not let the role of the service bypass their triggers', async () => {
      const [, serviceRole] = connections
      for (const text of [
        'SET session_replication_role = replica',
        'ALTER TABLE events DISABLE TRIGGER ALL',
        'ALTER TABLE event_bodies DISABLE TRIGGER event_bodies_no_update',
        'DROP TRIGGER events_no_delete ON events',
        'DROP TABLE event_bodies',
        'CREATE TABLE events_too (seq bigint)',
        'CREATE OR REPLACE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NEW; END $$',
      ])
        await expect(serviceRole?.execute(text), text).rejects.toThrow(
          expect.objectContaining({ code: '42501' }) as Error,
        )
    })
})
