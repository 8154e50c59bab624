import { rmSync } from 'node:fs'
import { join } from 'node:path'
import type Database from 'better-sqlite3'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { NOTHING, verifyLog, type Verified, type VerifyOptions } from '../../../../maintenance/verify/log.ts'
import { event } from '../../../../storage/log/event.ts'
import { damage, record, rehead, reseal, rootIn } from '../../../support/proof/tampered-store.ts'
import { freshFolder, migrate, onFile, putCopy } from '../../../support/stores/store.ts'

const SIZE = 700
/** Ranges of one tile in two threads: three ranges, of which the last is not full. */
const IN_THREADS: VerifyOptions = { rangeRecords: 256, threads: 2 }
afterAll(() => folder.remove())
beforeEach(() => putCopy(original, file))

const inThreads = (against: Parameters<typeof verifyLog>[1] = null): Promise<Verified> =>
  verifyLog(file, against, undefined, IN_THREADS)

const finding = async () => (await inThreads()).finding
// Two events a stream: record 2n is version 2 of the stream that record 2n − 1 began.
const folder = freshFolder()
const original = join(folder.dir, 'original.db')
const file = folder.file
migrate(original)
record(
  original,
  Array.from({ length: SIZE }, (_, n) => event(`service/${Math.floor(n / 2)}`, 'Started', { n })),
)

describe('a log that threads verify in ranges', () => {
  it('is in order, with the root of the whole', async () => {
    const expected = { ...NOTHING, size: SIZE, root: rootIn(file, SIZE).toString('hex') }
    expect(await inThreads()).toEqual(expected)
    expect(await verifyLog(file, null)).toEqual(expected)
  })

  it('matches the root of every earlier size, also at the edges of ranges', async () => {
    const sizes = [0, 1, 2, 255, 256, 257, 511, 512, 513, 699, 700]
    const anchors = sizes.map((size) => ({ size, root: rootIn(file, size).toString('hex') }))
    expect((await inThreads(anchors)).finding).toBeNull()
    for (const { size, root } of anchors) {
      const wrong = `${root.startsWith('0') ? '1' : '0'}${root.slice(1)}`
      expect((await inThreads({ size, root: wrong })).finding).toMatchObject({ kind: 'rolled_back' })
    }
  })

  it.each([1, 2, 255, 256, 257, 512, 513, 700])('that has a changed body in record %i is altered', async (seq) => {
    damage(file, `UPDATE event_bodies SET body = replace(body, '"n"', '"m"') WHERE seq = ${seq}`)
    expect(await finding()).toMatchObject({
      kind: 'altered',
      message: expect.stringMatching(new RegExp(`^record ${seq} .* does not fit its commitment$`)) as string,
    })
  })

  it.each([1, 256, 257, 513, 700])('that lacks record %i is missing it', async (seq) => {
    damage(file, `DELETE FROM events WHERE seq = ${seq}; DELETE FROM event_bodies WHERE seq = ${seq}`)
    const message = seq === SIZE ? 'the log ends at record 699, its head says 700' : `record ${seq} is missing`
    expect(await finding()).toEqual({ kind: 'missing', message })
  })

  it('reports the first problem, whichever range is done first', async () => {
    damage(file, 'UPDATE events SET leaf = zeroblob(32) WHERE seq IN (250, 260, 600)')
    expect((await finding())?.message).toBe('record 250 (Started) does not fit its leaf')
  })

  it('may not go back in time from one range to the next', async () => {
    damage(file, (database) => {
      database.exec('UPDATE events SET recorded_at = 5 WHERE seq >= 257')
      for (let seq = 257; seq <= SIZE; seq++) reseal(database, seq, (body) => body)
      rehead(database)
    })
    expect(await finding()).toEqual({ kind: 'altered', message: 'record 257 is older than the one before it' })
  })

  it('may not leave out a version whose record would be in another range', async () => {
    damage(file, (database) => {
      reseal(database, 257, (body) => body.replace('"service/128"', '"service/1000"'))
      database.exec("UPDATE event_bodies SET stream = 'service/1000' WHERE seq = 257")
      rehead(database)
    })
    expect(await finding()).toEqual({
      kind: 'missing',
      message: 'record 258 is version 2 of service/128, after version 0',
    })
  })

  it('may not have the versions of a stream in another order', async () => {
    damage(file, (database) => {
      database.exec('UPDATE event_bodies SET version = 3 WHERE seq = 1')
      for (const [seq, from, to] of [
        [2, 2, 1],
        [1, 1, 2],
      ] as const) {
        reseal(database, seq, (body) => body.replace(`"version":${from}}`, `"version":${to}}`))
        database.exec(`UPDATE event_bodies SET version = ${to} WHERE seq = ${seq}`)
      }
      rehead(database)
    })
    expect(await finding()).toMatchObject({
      kind: 'missing',
      message: 'record 1 is version 2 of service/0, after version 0',
    })
  })

  it('may not have bodies or records of other numbers', async () => {
    damage(file, "INSERT INTO event_bodies (seq, stream, version, salt, body) VALUES (800, 'a/b', 1, x'00', '{}')")
    expect(await finding()).toMatchObject({ kind: 'altered', message: expect.stringContaining('number 800') as string })
    damage(
      file,
      'DELETE FROM event_bodies WHERE seq = 800; INSERT INTO events SELECT -3, recorded_at, type, commitment, leaf FROM events WHERE seq = 1',
    )
    expect(await finding()).toMatchObject({ kind: 'altered', message: expect.stringContaining('record -3') as string })
  })

  it('has salts of 16 bytes: a byte cannot move from the body to the salt', async () => {
    damage(file, "UPDATE event_bodies SET salt = CAST(salt || '{' AS BLOB), body = substr(body, 2) WHERE seq = 3")
    expect(await finding()).toMatchObject({ kind: 'altered', message: expect.stringContaining('record 3') as string })
  })

  it('may have a forged number far beyond its end', async () => {
    damage(file, `UPDATE events SET seq = ${2 ** 52} WHERE seq = 513`)
    expect(await finding()).toEqual({ kind: 'missing', message: 'record 513 is missing' })
  })

  it.each([
    ['no JSON', '{"data":{},"stream":"service/1","version":1}', '{"data":x,"stream":"service/1","version":1}'],
    ['no data', '{"stream":"service/1","version":1}', '{"data":null,"stream":"service/1","version":1}'],
  ])('has no record of an account or an erasure with %s, even if it is sealed', async (_, erasure, account) => {
    for (const [type, body] of [
      ['EventErased', erasure],
      ['UserCreated', account],
    ] as const) {
      putCopy(original, file)
      damage(file, (database) => {
        database.exec(`UPDATE events SET type = '${type}' WHERE seq = 3`)
        reseal(database, 3, () => body)
        rehead(database)
      })
      expect(await finding()).toMatchObject({ kind: 'altered', message: expect.stringContaining('record 3') as string })
    }
  })

  it('has a body of text', async () => {
    damage(file, 'UPDATE event_bodies SET body = CAST(body AS BLOB) WHERE seq = 3')
    expect(await finding()).toMatchObject({ kind: 'altered', message: expect.stringContaining('record 3') as string })
  })

  it.each([
    ['altered', 'size = size - 1'],
    ['missing', 'size = size + 1'],
    ['altered', "size = 'many'"],
    ['altered', 'frontier = zeroblob(32)'],
    ['altered', "frontier = 'none'"],
    ['altered', 'recorded_at = recorded_at + 1'],
  ])('is %s if its head has %s', async (kind, change) => {
    damage(file, `UPDATE log_head SET ${change}`)
    expect(await finding()).toMatchObject({ kind })
  })

  it('without a table is altered, which explains why it cannot be read', async () => {
    onFile(file, (database) => database.exec('DROP TABLE event_bodies'))
    expect(await finding()).toMatchObject({
      kind: 'altered',
      message: expect.stringContaining('event_bodies') as string,
    })
  })
})

it('a later snapshot is cut at the size of the first one, and may lack bodies that were erased since', async () => {
  const verified = verifyLog(file, null, undefined, {
    ...IN_THREADS,
    // Between the first snapshot and those of the threads.
    observeSnapshot: () => {
      record(file, [
        event('service/later', 'Started', {}),
        event('erasure/e', 'EventErased', {
          cause: 'records',
          erasure_id: 'e',
          kept: null,
          reference: 'r',
          seq: 301,
        }),
      ])
      onFile(file, (database) => database.exec('DELETE FROM event_bodies WHERE seq = 301'))
    },
  })
  expect(await verified).toMatchObject({ finding: null, size: SIZE, erased: 0 })
  expect(await inThreads()).toMatchObject({ finding: null, size: SIZE + 2, erased: 1 })
})

describe('the nodes of the tree', () => {
  it('are those of the leaves', async () => {
    expect(onFile(file, (database) => database.prepare('SELECT count(*) FROM log_nodes').pluck().get())).toBe(2)
    for (const [work, message] of [
      [
        'UPDATE log_nodes SET hash = zeroblob(32) WHERE n = 1',
        'node 1 of level 1 of the tree is not what the leaves give',
      ],
      ['DELETE FROM log_nodes WHERE n = 0', 'node 0 of level 1 of the tree is missing'],
      ['INSERT INTO log_nodes VALUES (1, 2, zeroblob(32))', 'node 2 of level 1 of the tree belongs to no records'],
      ['INSERT INTO log_nodes VALUES (7, 0, zeroblob(32))', 'node 0 of level 7 of the tree belongs to no records'],
    ] as const) {
      putCopy(original, file)
      damage(file, work)
      expect(await finding()).toMatchObject({ kind: 'differs', message: expect.stringContaining(message) as string })
    }
  })

  it('are not expected before a version with nodes has opened the store', async () => {
    damage(file, "DELETE FROM log_nodes; DELETE FROM projections WHERE name = 'tree'")
    expect(await finding()).toBeNull()
    damage(file, 'DROP TABLE log_nodes')
    expect(await finding()).toMatchObject({ kind: 'altered', message: expect.stringContaining('log_nodes') as string })
  })
})

describe('erasures', () => {
  const erased = (seq: number, kept: object | null = null) =>
    event('erasure/e', 'EventErased', { cause: 'records', erasure_id: 'e', kept, reference: 'case-1', seq })
  const remove = (database: Database.Database, seq: number): void =>
    void database.prepare('DELETE FROM event_bodies WHERE seq = ?').run(seq)
  const erase = (...erasures: ReadonlyArray<readonly [seq: number, kept?: object]>): void => {
    record(
      file,
      erasures.map(([seq, kept]) => erased(seq, kept ?? null)),
    )
    onFile(file, (database) => {
      for (const [seq] of erasures) remove(database, seq)
    })
  }

  it('account for the version of their body', async () => {
    erase([1])
    expect(await inThreads()).toMatchObject({ finding: null, erased: 1, size: SIZE + 1 })
    erase([257, { data: {}, stream: 'service/128', version: 1 }])
    expect(await inThreads()).toMatchObject({ finding: null, erased: 2, size: SIZE + 2 })
  })

  it('account for one version alone', async () => {
    erase([1, { data: {}, stream: 'service/128', version: 5 }])
    expect(await finding()).toMatchObject({ kind: 'missing', message: expect.stringContaining('record 1') as string })
  })

  it('that keep a place that another record has are altered', async () => {
    erase([301, { data: {}, stream: 'service/0', version: 2 }])
    expect(await finding()).toEqual({ kind: 'altered', message: 'record 301 repeats version 2 of service/0' })
  })

  it('leave no body, also later', async () => {
    const body = onFile(file, (database) => database.prepare('SELECT * FROM event_bodies WHERE seq = 300').get()) as {
      salt: Buffer
      body: string
      stream: string
      version: number
    }
    erase([300])
    expect(await finding()).toBeNull()
    damage(file, (database) =>
      database
        .prepare('INSERT INTO event_bodies (seq, stream, version, salt, body) VALUES (300, ?, ?, ?, ?)')
        .run(body.stream, body.version, body.salt, body.body),
    )
    expect(await finding()).toEqual({ kind: 'altered', message: 'record 300 has a body, but record 701 erased it' })
  })

  it('name an earlier record', async () => {
    record(file, [erased(1000)])
    expect(await finding()).toEqual({
      kind: 'altered',
      message: 'record 701 (EventErased) names record 1000, which is not before it',
    })
  })

  it('are the only reason for a missing body', async () => {
    damage(file, 'DELETE FROM event_bodies WHERE seq = 512')
    expect(await finding()).toEqual({
      kind: 'missing',
      message: 'record 512 (Started) has no body, and no record erases it',
    })
  })
})

it('ends its threads and leaves the file to its owner', async () => {
  await inThreads()
  rmSync(file)
  expect(await inThreads()).toMatchObject({ finding: { kind: 'unreadable' } })
})
