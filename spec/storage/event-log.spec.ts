import { createHash } from 'node:crypto'
import type Database from 'better-sqlite3'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { bodyText, commitmentOf, event, leafOf, seal, streamOf } from '../../storage/event-log.ts'
import type { Body } from '../../storage/event-log.ts'
import { findRecord, recordedOf } from '../../storage/log-reader.ts'
import type { Actor } from '../../storage/storage.ts'
import { commitAll, deciding, onFile, openStore } from '../support/store.ts'
import type { SpecStore } from '../support/store.ts'

const actor: Actor = { address: null, credential_id: null, kind: 'static', scope: 'write', user_id: null }

const CHECK: Body = {
  // Out of order on purpose: the text is canonical whatever the order given.
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
    const { body, commitment, leaf } = seal(CHECK, 'RunIngested', 1777885244000, Buffer.from('000102030405060708090a0b0c0d0e0f', 'hex'))
    expect(body).toBe(CHECK_TEXT)
    expect(commitment.toString('hex')).toBe('df69e366368b9c3d46c1fb3f75d692b043753173ef9e7b4b849c5be72c1e474e')
    expect(leaf.toString('hex')).toBe('3585f7662731e81894fbc8af33e09c11309efa334bff5f8d648b0fff935042c3')
  })

  it('commits to its salt and body, and its leaf to commitment, time and type alone', () => {
    const sha256 = (...parts: Array<Uint8Array | string>) => createHash('sha256').update(Buffer.concat(parts.map((part) => Buffer.from(part as string)))).digest()
    const salt = Buffer.alloc(16, 7)
    const commitment = commitmentOf(salt, 'ä')
    expect(commitment).toEqual(sha256(salt, 'ä'))
    expect(leafOf(commitment, 12, 'Started')).toEqual(sha256(Buffer.of(0), `{"commitment":"${commitment.toString('hex')}","recorded_at":12,"type":"Started"}`))
  })

  it('is salted anew each time, with 16 bytes', () => {
    const salts = Array.from({ length: 100 }, () => seal(CHECK, 'RunIngested', 0).salt)
    expect(new Set(salts.map((salt) => salt.toString('hex'))).size).toBe(100)
    expect(salts.every((salt) => salt.length === 16)).toBe(true)
  })
})

describe('the text of an event body', () => {
  it('is canonical: keys in UTF-16 order, no white space, numbers in their shortest form', () =>
    expect(bodyText({ ...CHECK, data: { '\u{1f600}': 1, '\ufb33': 1e21, z: 1.0, a: [null, true, '\u2028"\n'], 10: -0, 9: 0.1 } })).toContain(
      '"data":{"10":0,"9":0.1,"a":[null,true,"\u2028\\"\\n"],"z":1,"\u{1f600}":1,"\ufb33":1e+21}',
    ))

  it('holds what the actor is, and nothing that came along', () => {
    const told = { ...actor, label: 'a name of a person' }
    expect(bodyText({ ...CHECK, actor: told })).toBe(CHECK_TEXT)
  })

  it('reads back as what was put in', () =>
    fc.assert(
      fc.property(fc.jsonValue(), fc.string({ unit: 'grapheme' }), fc.integer({ min: 1 }), (data, id, version) => {
        const body = { actor, data, request_id: null, stream: streamOf('run', id), version }
        // JSON has no minus zero.
        expect(JSON.parse(bodyText(body))).toEqual(JSON.parse(JSON.stringify(body)))
      }),
    ))

  it.each([{ name: '\ud800' }, { '\udc00': 1 }, { n: NaN }, { n: Infinity }])('refuses what JSON cannot hold', (data) =>
    expect(() => bodyText({ ...CHECK, data })).toThrow())
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

  it('tells its parts apart whatever they hold', () =>
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'grapheme' }), { minLength: 1, maxLength: 3 }), (parts) => {
        const [kind, ...escaped] = streamOf('kind', ...parts).split('/')
        expect([kind, ...escaped.map(decodeURIComponent)]).toEqual(['kind', ...parts])
      }),
    ))
})

describe('the tables of the log', () => {
  let store: SpecStore
  beforeEach(() => {
    store = openStore()
    commitAll(store.writer, deciding([event('run/a', 'A', { n: 1 }), event('run/b', 'B', { n: 2 }), event('run/a', 'A', { n: 3 })]))
  })
  afterEach(() => store.close())

  const rows = (database: Database.Database) => ({
    events: database.prepare('SELECT * FROM events ORDER BY seq').all(),
    bodies: database.prepare('SELECT * FROM event_bodies ORDER BY seq').all(),
  })

  it('hold dense positions, dense versions of each stream, and times that never go back', () => {
    const recorded = [1, 2, 3].map((seq) => recordedOf(store.writer.read(findRecord(seq))!))
    expect(recorded.map((each) => [each?.seq, each?.stream, each?.version, each?.data])).toEqual([
      [1, 'run/a', 1, { n: 1 }],
      [2, 'run/b', 1, { n: 2 }],
      [3, 'run/a', 2, { n: 3 }],
    ])
    const times = recorded.map((each) => each?.recorded_at ?? 0)
    expect(times).toEqual([...times].sort((a, b) => a - b))
  })

  const FORBIDDEN = [
    'UPDATE events SET recorded_at = 0 WHERE seq = 1',
    'UPDATE events SET seq = 9 WHERE seq = 3',
    'UPDATE OR REPLACE events SET seq = 1 WHERE seq = 3',
    'UPDATE events SET type = type',
    'DELETE FROM events WHERE seq = 3',
    'DELETE FROM events',
    "REPLACE INTO events (seq, recorded_at, type, commitment, leaf) VALUES (3, 0, 'X', x'00', x'00')",
    "INSERT OR REPLACE INTO events (seq, recorded_at, type, commitment, leaf) VALUES (1, 0, 'X', x'00', x'00')",
    "INSERT INTO events (seq, recorded_at, type, commitment, leaf) VALUES (3, 0, 'X', x'00', x'00') ON CONFLICT (seq) DO UPDATE SET type = 'X'",
    "INSERT INTO events (seq, recorded_at, type, commitment, leaf) VALUES (5, 0, 'X', x'00', x'00')",
    "INSERT INTO events (seq, recorded_at, type, commitment, leaf) VALUES (0, 0, 'X', x'00', x'00')",
    "INSERT INTO events (seq, recorded_at, type, commitment, leaf) VALUES (-1, 0, 'X', x'00', x'00')",
    "INSERT INTO events (recorded_at, type, commitment, leaf) VALUES (0, 'X', x'00', x'00')",
    "UPDATE event_bodies SET body = '{}' WHERE seq = 1",
    'UPDATE event_bodies SET seq = 9 WHERE seq = 3',
    'UPDATE OR REPLACE event_bodies SET seq = 1 WHERE seq = 3',
    'UPDATE event_bodies SET salt = salt',
    'DELETE FROM event_bodies WHERE seq = 3',
    'DELETE FROM event_bodies',
    "REPLACE INTO event_bodies (seq, stream, version, salt, body) VALUES (3, 'run/c', 1, x'00', '{}')",
    "INSERT OR REPLACE INTO event_bodies (seq, stream, version, salt, body) VALUES (4, 'run/a', 1, x'00', '{}')",
    "INSERT INTO event_bodies (seq, stream, version, salt, body) VALUES (4, 'run/c', 1, x'00', '{}')",
    "INSERT INTO event_bodies (seq, stream, version, salt, body) VALUES (2, 'run/c', 1, x'00', '{}')",
    "INSERT INTO event_bodies (seq, stream, version, salt, body) VALUES (0, 'run/c', 1, x'00', '{}')",
    "INSERT INTO event_bodies (seq, stream, version, salt, body) VALUES (3, 'run/a', 2, x'00', '{}') ON CONFLICT DO UPDATE SET body = '{}'",
  ]

  it.each(FORBIDDEN)('refuse, on our connection and on any other: %s', (text) => {
    const before = rows(store.writer.connection.database)
    expect(() => store.writer.connection.database.exec(text)).toThrow(expect.objectContaining({ code: 'SQLITE_CONSTRAINT_TRIGGER' }))
    // A plain connection has no recursive triggers, under which alone a REPLACE would fire the ones of DELETE.
    onFile(store.file, (database) => {
      expect(database.pragma('recursive_triggers', { simple: true })).toBe(0)
      expect(() => database.exec(text)).toThrow(expect.objectContaining({ code: 'SQLITE_CONSTRAINT_TRIGGER' }))
      expect(rows(database)).toEqual(before)
    })
  })

  it('refuse a second body that takes the version of another in its stream', () =>
    onFile(store.file, (database) => {
      database.exec("INSERT INTO events (seq, recorded_at, type, commitment, leaf) VALUES (4, 0, 'X', x'00', x'00')")
      for (const verb of ['INSERT', 'REPLACE', 'INSERT OR IGNORE'])
        expect(() => database.exec(`${verb} INTO event_bodies (seq, stream, version, salt, body) VALUES (4, 'run/a', 1, x'00', '{}')`)).toThrow('only the newest event')
    }))

  it('let go of a body that an erasure names, of no other, and of no event', () => {
    commitAll(store.writer, deciding([event('service/i', 'EventErased', { seq: 2 })]))
    onFile(store.file, (database) => {
      database.exec('DELETE FROM event_bodies WHERE seq = 2')
      expect(database.prepare('SELECT seq FROM event_bodies ORDER BY seq').pluck().all()).toEqual([1, 3, 4])
      for (const text of ['DELETE FROM event_bodies WHERE seq = 1', 'DELETE FROM event_bodies WHERE seq = 4', 'DELETE FROM events WHERE seq = 2'])
        expect(() => database.exec(text)).toThrow(expect.objectContaining({ code: 'SQLITE_CONSTRAINT_TRIGGER' }))
      expect(() => database.exec("INSERT INTO event_bodies (seq, stream, version, salt, body) VALUES (2, 'run/b', 1, x'00', '{}')")).toThrow('only the newest event')
    })
    expect(store.writer.read(findRecord(2))).toMatchObject({ seq: 2, type: 'B', stream: null, body: null })
    expect(recordedOf(store.writer.read(findRecord(2))!)).toBeNull()
  })

  it('do not take another event that names a position for an erasure', () => {
    commitAll(store.writer, deciding([event('service/i', 'Started', { seq: 2 })]))
    onFile(store.file, (database) => expect(() => database.exec('DELETE FROM event_bodies WHERE seq = 2')).toThrow('EventErased'))
  })
})
