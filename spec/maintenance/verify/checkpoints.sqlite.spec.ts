import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest'
import { verifyDirectory } from '../../../cli/store/verify.ts'
import type { Trust } from '../../../domain/proof/check.ts'
import { checkpointText } from '../../../domain/proof/checkpoint.ts'
import { signedNote } from '../../../domain/proof/note.ts'
import { parsePolicy } from '../../../domain/proof/policy.ts'
import { logKeyAdopted } from '../../../commands/log-key/events.ts'
import { NOTHING, verifyLog } from '../../../maintenance/verify/log.ts'
import type { KeptBody } from '../../../storage/log/erasures.ts'
import { event } from '../../../storage/log/event.ts'
import { nodeCrypto } from '../../../storage/log/proof-crypto.ts'
import { logKey, timeLine, witnessKey, type SpecKey } from '../../support/proof/keys.ts'
import { damage, record, rehead, reseal, rootIn } from '../../support/proof/tampered-store.ts'
import { freshFolder, migrate, onFile, putCopy } from '../../support/stores/store.ts'

const ORIGIN = 'results.example/log'
const SIZE = 10

/** Stores a checkpoint as the signer does. */
const keep = async (
  at: string,
  size: number,
  keys: readonly [SpecKey, ...SpecKey[]],
  witnesses: readonly SpecKey[] = [],
): Promise<string> => {
  const root = rootIn(at, size)
  const text = checkpointText({ origin: ORIGIN, size, root })
  const note = signedNote(
    text,
    keys.map(({ sign }) => sign(text)),
  )
  const time_line = await timeLine(keys[0], text, 5)
  onFile(at, (database) => {
    database.prepare('INSERT INTO checkpoints VALUES (?, ?, 5000, ?, ?)').run(size, root, note, time_line)
    for (const { vkey, sign } of witnesses)
      database
        .prepare('INSERT INTO cosignatures VALUES (?, ?, ?, ?, 1777885300)')
        .run(size, vkey.name, vkey.id, sign(text))
  })
  return note
}

const adopt = ({ vkey }: SpecKey) =>
  logKeyAdopted({ continues: null, key_id: vkey.id, origin: ORIGIN, vkey: vkey.text })
afterAll(() => folder.remove())
beforeEach(() => putCopy(original, file))

const verified = (trust?: Trust) => verifyLog(file, null, undefined, trust ? { trust } : {})
const finding = async (trust?: Trust) => (await verified(trust)).finding
const policyOf = async (text: string): Promise<Trust> => ({ keys: [], policy: await parsePolicy(text, nodeCrypto) })
const bothWitnesses = (quorum: string) =>
  policyOf(
    `log ${key.vkey.text}\nwitness w1 ${witness.vkey.text}\nwitness w2 ${other.vkey.text}\ngroup both all w1 w2\nquorum ${quorum}\n`,
  )
// Record 1 adopts the first key, record 6 the second one.
const folder = freshFolder()
const original = `${folder.file}.made`
const file = folder.file
const key = await logKey(ORIGIN, 1)
const later = await logKey(ORIGIN, 2)
const witness = await witnessKey('witness.example/w1', 3)
const other = await witnessKey('witness.example/w2', 4)
migrate(original)
record(
  original,
  Array.from({ length: SIZE }, (_, n) =>
    n === 0 ? adopt(key) : n === 5 ? adopt(later) : event('service/1', 'Started', { n }),
  ),
)
await keep(original, 3, [key])
await keep(original, 7, [key, later], [witness])
await keep(original, 10, [later], [witness, other])

describe('kept checkpoints', () => {
  it('are of this log, and signed by keys that it had adopted by then', async () => {
    expect(await verified()).toEqual({
      ...NOTHING,
      size: SIZE,
      root: rootIn(file, SIZE).toString('hex'),
      checkpoints: 3,
      notes: ['not checked: 3 cosignatures of witnesses whose key no --policy names'],
    })
  })

  it('show that the log was rewritten, or lost its end', async () => {
    damage(file, (database) => {
      reseal(database, 3, (body) => body.replace('"n":2', '"n":3'))
      rehead(database)
    })
    expect(await finding()).toMatchObject({
      kind: 'rolled_back',
      message: expect.stringContaining('the first 3 records are not those of the checkpoint that was signed') as string,
    })
    putCopy(original, file)
    damage(file, (database) => {
      database.exec('DELETE FROM events WHERE seq > 8; DELETE FROM event_bodies WHERE seq > 8')
      rehead(database)
    })
    expect(await finding()).toEqual({
      kind: 'rolled_back',
      message: 'the log ends at record 8, yet it signed a checkpoint of size 10',
    })
  })

  it.each([
    ['another root', 'UPDATE checkpoints SET root = zeroblob(32) WHERE size = 7'],
    ['another size', 'UPDATE checkpoints SET size = 8 WHERE size = 7; DELETE FROM cosignatures WHERE size = 7'],
    ['another note', 'UPDATE checkpoints SET note = (SELECT note FROM checkpoints WHERE size = 3) WHERE size = 7'],
    ['no note', "UPDATE checkpoints SET note = 'none' WHERE size = 7"],
    ['a cosignature of another key', "UPDATE cosignatures SET key_id = '00000000' WHERE size = 7"],
    ['a cosignature of another time', 'UPDATE cosignatures SET at = at + 1 WHERE size = 7'],
    ['a cosignature of another name', "UPDATE cosignatures SET key_name = 'someone' WHERE size = 7"],
    ['a negative size', 'UPDATE checkpoints SET size = -3 WHERE size = 3'],
    ['a root of another type', "UPDATE checkpoints SET root = 'root' WHERE size = 3"],
    ['a note of another type', "UPDATE checkpoints SET note = x'00' WHERE size = 3"],
    ['a line of another type', "UPDATE cosignatures SET line = x'00' WHERE size = 7"],
    ['a cosignature of a larger size', 'UPDATE cosignatures SET size = 11 WHERE size = 10'],
    ['a cosignature without a checkpoint', 'UPDATE cosignatures SET size = 8 WHERE size = 7'],
  ])('that have %s are altered', async (_, work) => {
    damage(file, work)
    expect(await finding()).toMatchObject({ kind: 'altered' })
  })

  it('are of a log whose adopted keys can be read', async () => {
    onFile(file, (database) => database.exec('DELETE FROM checkpoints; DELETE FROM cosignatures'))
    damage(file, (database) => {
      reseal(database, 1, (body) => body.replace(key.vkey.text, 'none'))
      rehead(database)
    })
    expect(await finding()).toMatchObject({
      kind: 'altered',
      message: expect.stringContaining('record 1 adopts') as string,
    })
  })

  it('may be signed by a key whose adoption was erased, if the erasure keeps its data', async () => {
    const kept = { data: adopt(key).data, stream: adopt(key).stream, version: 1 }
    for (const [data, kind] of [
      [kept, null],
      [null, 'signature'],
    ] as const) {
      putCopy(original, file)
      record(file, [
        event('erasure/e', 'EventErased', { cause: 'records', erasure_id: 'e', kept: data, reference: 'r', seq: 1 }),
      ])
      onFile(file, (database) => database.exec('DELETE FROM event_bodies WHERE seq = 1'))
      expect((await finding())?.kind ?? null).toBe(kind)
    }
  })

  it('need a valid signature', async () => {
    damage(file, "UPDATE checkpoints SET note = replace(note, substr(note, -20, 5), 'AAAAA') WHERE size = 3")
    expect(await finding()).toMatchObject({
      kind: 'signature',
      message: expect.stringContaining('the checkpoint of size 3') as string,
    })
  })

  it('need a key that the log had adopted by then, or that is given', async () => {
    onFile(file, (database) => database.exec('DELETE FROM checkpoints WHERE size = 3'))
    await keep(file, 4, [later])
    expect(await finding()).toMatchObject({
      kind: 'signature',
      message: expect.stringContaining('the checkpoint of size 4') as string,
    })
    expect(await finding({ keys: [later.vkey], policy: null })).toBeNull()
    expect(await finding({ keys: [(await logKey(ORIGIN, 9)).vkey], policy: null })).toMatchObject({ kind: 'signature' })
  })

  it('are signed by an adopted key also if the record of its adoption was erased', async () => {
    const { stream, data } = adopt(key)
    const eraseKeeping = (kept: KeptBody | null) => {
      const erased = { cause: 'user', erasure_id: 'e', followed: null, kept, reference: 'case-1', seq: 1 }
      record(file, [event('erasure/e', 'EventErased', erased)])
      onFile(file, (database) => database.exec('DELETE FROM event_bodies WHERE seq = 1'))
    }
    eraseKeeping({ data, stream, version: 1 })
    expect(await finding()).toBeNull()
    putCopy(original, file)
    eraseKeeping(null)
    expect(await finding()).toMatchObject({ kind: 'signature' })
  })

  it('may have lines of unknown keys, but no wrong line of a known one', async () => {
    const stranger = await logKey('stranger.example', 7)
    onFile(file, (database) => {
      const note = database.prepare('SELECT note FROM checkpoints WHERE size = 3').pluck().get() as string
      database
        .prepare('UPDATE checkpoints SET note = ? WHERE size = 3')
        .run(`${note}${stranger.sign('another text\n')}\n`)
    })
    expect(await finding()).toBeNull()
    onFile(file, (database) => {
      const note = database.prepare('SELECT note FROM checkpoints WHERE size = 3').pluck().get() as string
      database.prepare('UPDATE checkpoints SET note = ? WHERE size = 3').run(`${note}${key.sign('another text\n')}\n`)
    })
    expect(await finding()).toMatchObject({ kind: 'signature' })
  })
})

describe('a policy', () => {
  it('is met by one checkpoint at least', async () => {
    expect(await verified(await bothWitnesses('both'))).toMatchObject({
      finding: null,
      notes: ['the newest checkpoint that meets the policy is that of 10 records'],
    })
    onFile(file, (database) => database.exec("DELETE FROM cosignatures WHERE key_name = 'witness.example/w2'"))
    expect(await finding(await bothWitnesses('both'))).toMatchObject({ kind: 'policy' })
    expect(await finding(await bothWitnesses('w1'))).toBeNull()
  })

  it('is not met by a store without checkpoints', async () => {
    onFile(file, (database) => database.exec('DELETE FROM checkpoints; DELETE FROM cosignatures'))
    expect(await finding(await bothWitnesses('w1'))).toEqual({ kind: 'policy', message: 'the store has no checkpoint' })
    expect(await finding()).toBeNull()
  })

  it('reveals a wrong cosignature, which is only counted without it', async () => {
    onFile(file, (database) => {
      const line = witness.sign('another text\n')
      database.prepare('UPDATE cosignatures SET line = ? WHERE size = 7').run(line)
    })
    expect(await finding()).toBeNull()
    expect(await finding(await bothWitnesses('none'))).toMatchObject({
      kind: 'signature',
      message: expect.stringContaining('the checkpoint of size 7') as string,
    })
  })
})

describe('the time of a checkpoint', () => {
  const lineOf = (signer: SpecKey, size: number, seconds: number) =>
    timeLine(signer, checkpointText({ origin: ORIGIN, size, root: rootIn(file, size) }), seconds)
  const put = (size: number, line: string | null, signed_at = 5000): void =>
    onFile(file, (database) => {
      database.prepare('UPDATE checkpoints SET time_line = ?, signed_at = ? WHERE size = ?').run(line, signed_at, size)
    })

  it('is the one that a key of the log signed with the note', async () => {
    put(3, await lineOf(key, 3, 7), 7000)
    expect(await finding()).toBeNull()
    for (const signed_at of [5000, 7001, 0]) {
      put(3, await lineOf(key, 3, 7), signed_at)
      expect(await finding()).toEqual({
        kind: 'altered',
        message: 'the time of the checkpoint of size 3 is not the one that was signed',
      })
    }
  })

  it.each([
    ['of another checkpoint', () => lineOf(key, 7, 5)],
    ['of a key that was adopted later', () => lineOf(later, 3, 5)],
    ['of a witness', async () => witness.sign(checkpointText({ origin: ORIGIN, size: 3, root: rootIn(file, 3) }), 5)],
  ])('must not be signed by the line %s', async (_, line) => {
    put(3, await line())
    expect(await finding()).toMatchObject({ kind: 'signature' })
  })

  it('must be signed by one line', async () => {
    for (const line of ['', 'none', `${await lineOf(key, 3, 5)}\n${await lineOf(key, 3, 5)}`]) {
      put(3, line)
      expect(['altered', 'signature']).toContain((await finding())?.kind)
    }
  })

  it('is not covered if an earlier version signed, but not after a start of this version', async () => {
    onFile(file, (database) => void database.exec('UPDATE checkpoints SET time_line = NULL WHERE size > 3'))
    expect(await verified()).toMatchObject({
      finding: null,
      notes: [
        'not covered: 2 times of checkpoints, which were recorded without a digest by an earlier version',
        expect.stringContaining('not checked') as string,
      ],
    })
    record(file, [event('service/2', 'Started', { static_tokens: [] })])
    expect(await finding()).toBeNull()
    await keep(file, 11, [later])
    expect(await finding()).toBeNull()
    onFile(file, (database) => void database.exec('UPDATE checkpoints SET time_line = NULL WHERE size = 11'))
    expect(await finding()).toEqual({
      kind: 'altered',
      message: 'the checkpoint of size 11 has lost the signature of its time',
    })
  })
})

describe('the signing guard', () => {
  const guard = (note: string): void => writeFileSync(join(folder.dir, 'checkpoint'), note)
  const inDirectory = async () => (await verifyDirectory(folder.dir, null)).finding
  afterEach(() => rmSync(join(folder.dir, 'checkpoint'), { force: true }))

  const noteOfSize = (size: number, root: Buffer): string => {
    const text = checkpointText({ origin: ORIGIN, size, root })
    return signedNote(text, [key.sign(text)])
  }

  it('is a checkpoint of the log', async () => {
    expect(await inDirectory()).toBeNull()
    guard(noteOfSize(9, rootIn(file, 9)))
    expect(await inDirectory()).toBeNull()
  })

  it('shows that its checkpoint is not stored, or not as it was signed', async () => {
    const text = checkpointText({ origin: ORIGIN, size: SIZE, root: rootIn(file, SIZE) })
    const note = signedNote(text, [later.sign(text)])
    guard(note)
    expect(await inDirectory()).toBeNull()
    onFile(file, (database) => {
      database.prepare('UPDATE checkpoints SET note = ? WHERE size = ?').run(signedNote(text, [key.sign(text)]), SIZE)
    })
    expect(await inDirectory()).toEqual({
      kind: 'altered',
      message: `the checkpoint of size 10 is not the one that ${join(folder.dir, 'checkpoint')} notes as signed`,
    })
    damage(file, 'DELETE FROM checkpoints WHERE size = 10; DELETE FROM cosignatures WHERE size = 10')
    expect(await inDirectory()).toMatchObject({
      kind: 'missing',
      message: expect.stringContaining('the checkpoint of size 10, which ') as string,
    })
  })

  it('shows a rollback and a rewrite', async () => {
    guard(noteOfSize(11, rootIn(file, 10)))
    expect(await inDirectory()).toMatchObject({
      kind: 'rolled_back',
      message: expect.stringContaining(join(folder.dir, 'checkpoint')) as string,
    })
    guard(noteOfSize(9, rootIn(file, 8)))
    expect(await inDirectory()).toMatchObject({ kind: 'rolled_back' })
  })

  it('must be signed by a key that the log adopted', async () => {
    const text = checkpointText({ origin: ORIGIN, size: 9, root: rootIn(file, 9) })
    const foreign = await logKey('results.example/other', 5)
    const forged = signedNote(text, [key.sign(text.replace('9', '8'))])
    const ofOther = checkpointText({ origin: foreign.vkey.name, size: 9, root: rootIn(file, 9) })
    for (const note of [forged, signedNote(text, [witness.sign(text)]), signedNote(ofOther, [foreign.sign(ofOther)])]) {
      guard(note)
      expect(await inDirectory()).toMatchObject({
        kind: 'signature',
        message: expect.stringContaining(join(folder.dir, 'checkpoint')) as string,
      })
    }
  })

  it('must be readable', async () => {
    guard('none')
    expect(await inDirectory()).toMatchObject({ kind: 'unreadable' })
  })
})
