import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import type { Trust } from '../../../domain/proof/check.ts'
import { checkpointText } from '../../../domain/proof/checkpoint.ts'
import { utf8 } from '../../../domain/proof/bytes.ts'
import { signedNote } from '../../../domain/proof/note.ts'
import { openingText } from '../../../domain/proof/opening.ts'
import { parsePolicy } from '../../../domain/proof/policy.ts'
import { proofText } from '../../../domain/proof/tlog-proof.ts'
import { NoAnchor, readAnchors } from '../../../maintenance/verify/anchors.ts'
import { verifyLog } from '../../../maintenance/verify/log.ts'
import { event } from '../../../storage/log/event.ts'
import { nodeCrypto } from '../../../storage/log/proof-crypto.ts'
import { logKey, witnessKey, type SpecKey } from '../../support/proof/keys.ts'
import { damage, record, rehead, reseal, rootIn } from '../../support/proof/tampered-store.ts'
import { naiveTree } from '../../support/proof/tree.ts'
import { freshFolder, migrate, onFile, putCopy } from '../../support/stores/store.ts'

const ORIGIN = 'results.example/log'
const SIZE = 10
afterAll(() => folder.remove())
beforeEach(() => putCopy(`${file}.made`, file))

const noteAt = (size: number, keys = [key], witnesses: readonly SpecKey[] = []): string => {
  const text = checkpointText({ origin: ORIGIN, size, root: rootIn(`${file}.made`, size) })
  return signedNote(
    text,
    [...keys, ...witnesses].map(({ sign }) => sign(text)),
  )
}

const receiptAt = (index: number, size: number): string => {
  const [leaves, row] = onFile(`${file}.made`, (database) => [
    database.prepare('SELECT leaf FROM events ORDER BY seq').pluck().all() as Buffer[],
    database.prepare('SELECT * FROM events JOIN event_bodies USING (seq) WHERE seq = ?').get(index + 1) as {
      body: string
      salt: Buffer
      recorded_at: number
      type: string
    },
  ])
  const extra = utf8(openingText({ ...row, salt: row.salt.toString('hex') }))
  return proofText({ extra, index, path: naiveTree(leaves).inclusion(index, size), checkpoint: noteAt(size) })
}

/** A signature line whose name is not UTF-8. */
const LATIN1_LINE = Buffer.concat([Buffer.from('— '), Buffer.of(0xe9), Buffer.from('x AAAAAAAAAAA=\n')])

const put = (name: string, text: string | Uint8Array): string => {
  const path = join(folder.dir, name)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
  return path
}

const read = (given: string, trust: Trust | null = null) => readAnchors(given, trust, nodeCrypto)
const findingWith = async (given: string) => (await verifyLog(file, (await read(given)).anchors)).finding
const trusted = (): Trust => ({ keys: [key.vkey], policy: null })
const policy = async (): Promise<Trust> => ({
  keys: [],
  policy: await parsePolicy(`log ${key.vkey.text}\nwitness w ${witness.vkey.text}\nquorum w\n`, nodeCrypto),
})

/** Changes record 2 and all that follows from it. */
const rewrite = (): void =>
  damage(file, (database) => {
    reseal(database, 2, (body) => body.replace('"n":1', '"n":7'))
    rehead(database)
  })
const folder = freshFolder()
const file = folder.file
const key = await logKey(ORIGIN, 1)
const witness = await witnessKey('witness.example/w1', 3)
migrate(`${file}.made`)
record(
  `${file}.made`,
  Array.from({ length: SIZE }, (_, n) => event('service/1', 'Started', { n })),
)

describe('an anchor', () => {
  it('is a size and a root', async () => {
    const root = rootIn(file, 4).toString('hex')
    expect(await read(`4:${root.toUpperCase()}`)).toEqual({ anchors: [{ size: 4, root }], isSigned: false, notes: [] })
    expect(await findingWith(`4:${root}`)).toBeNull()
    rewrite()
    expect(await findingWith(`4:${root}`)).toMatchObject({ kind: 'rolled_back' })
    expect(await findingWith(`1:${rootIn(file, 1).toString('hex')}`)).toBeNull()
  })

  it('is a file of checkpoints, each followed by an empty line', async () => {
    const path = put('checkpoints.txt', `${noteAt(1)}\n${noteAt(4)}\n${noteAt(10)}\n`)
    expect((await read(path)).anchors.map(({ size, by }) => [size, by])).toEqual([
      [1, path],
      [4, path],
      [10, path],
    ])
    expect(await findingWith(path)).toBeNull()
    rewrite()
    expect(await findingWith(path)).toMatchObject({
      kind: 'rolled_back',
      message: expect.stringContaining(path) as string,
    })
  })

  it('is one checkpoint, or the folder of a monitor', async () => {
    expect((await read(put('one.txt', noteAt(4)))).anchors).toHaveLength(1)
    put('monitor/checkpoints/2026-04.txt', `${noteAt(1)}\n${noteAt(4)}\n`)
    put('monitor/checkpoints/2026-05.txt', `${noteAt(10)}\n`)
    const path = join(folder.dir, 'monitor')
    expect((await read(path)).anchors.map(({ size }) => size)).toEqual([1, 4, 10])
    rewrite()
    expect(await findingWith(path)).toMatchObject({ kind: 'rolled_back' })
  })

  it('is not the torn end of a file', async () => {
    const whole = `${noteAt(1)}\n`
    for (const length of [1, 20, noteAt(4).length - 1]) {
      const path = put('torn.txt', whole + noteAt(4).slice(0, length))
      const { anchors, notes } = await read(path)
      expect(anchors.map(({ size }) => size)).toEqual([1])
      expect(notes).toEqual([`one checkpoint of ${path} is not complete, and was not compared`])
    }
    await expect(read(put('torn.txt', 'nothing'))).rejects.toMatchObject({ code: 20 })
  })

  it('is each whole checkpoint of a file, also behind torn ones', async () => {
    const torn = noteAt(4)
    // Without its last line end it is still whole.
    for (let length = 1; length < torn.length - 1; length++) {
      // What was torn is ended by an empty line, and may be torn again.
      const path = put('torn.txt', `${noteAt(1)}\n${torn.slice(0, length)}\n\n${torn.slice(0, 9)}\n\n${noteAt(10)}\n`)
      const { anchors, notes } = await read(path, trusted())
      expect([length, ...anchors.map(({ size }) => size)]).toEqual([length, 1, 10])
      expect(notes).toEqual([`2 checkpoints of ${path} are not complete, and were not compared`])
    }
  })

  it('is none whose whole signature is wrong', async () => {
    const wrong = noteAt(4, [await logKey(ORIGIN, 2)])
    await expect(read(put('wrong.txt', `${noteAt(1)}\n${wrong}\n`), trusted())).rejects.toMatchObject({ code: 14 })
  })

  it('is not the torn end of a file, also inside of a character', async () => {
    const whole = Buffer.from(`${noteAt(1)}\n`)
    const torn = Buffer.from(noteAt(4))
    const path = put('torn.txt', Buffer.concat([whole, torn.subarray(0, torn.indexOf('—') + 1)]))
    expect((await read(path)).anchors.map(({ size }) => size)).toEqual([1])
  })

  it('is in UTF-8', async () => {
    const note = Buffer.concat([Buffer.from(noteAt(4)), LATIN1_LINE])
    await expect(read(put('latin1.txt', note))).rejects.toMatchObject({
      code: 20,
      message: expect.stringMatching(/latin1\.txt: not UTF-8 text$/) as string,
    })
    const receipt = Buffer.concat([Buffer.from(receiptAt(1, 7)), LATIN1_LINE])
    await expect(read(put('latin1.tlog-proof', receipt))).rejects.toMatchObject({ code: 20 })
  })

  it('may have millions of lines, which are too many', async () => {
    const path = put('long.txt', noteAt(4) + '— x AAAAAAAAAAA=\n'.repeat(2_000_000))
    await expect(read(path)).rejects.toMatchObject({ code: 20 })
  })

  it('is named if it cannot be read', async () => {
    mkdirSync(join(folder.dir, 'odd', 'checkpoints', '2026-05.txt'), { recursive: true })
    await expect(read(join(folder.dir, 'odd'))).rejects.toThrow(/2026-05\.txt cannot be read: /)
  })

  it('is not a private key, which is not printed', async () => {
    await expect(read('PRIVATE+KEY+a+00000000+AAAA')).rejects.toThrow(
      expect.objectContaining({ name: 'NoAnchor', message: expect.not.stringContaining('AAAA') as string }) as Error,
    )
  })

  it('is a receipt: its checkpoint and its record', async () => {
    const path = put('run.tlog-proof', receiptAt(1, 7))
    const { anchors } = await read(path, trusted())
    expect(anchors).toMatchObject([{ size: 7, by: path, leaf: { index: 1 } }])
    expect(await findingWith(path)).toBeNull()
    rewrite()
    expect(await findingWith(path)).toMatchObject({ kind: 'rolled_back' })
    const [anchor] = anchors
    if (!anchor) throw new Error('there is an anchor')
    const root = rootIn(file, 7).toString('hex')
    expect((await verifyLog(file, { ...anchor, root })).finding).toMatchObject({
      kind: 'rolled_back',
      message: expect.stringContaining('record 2 is not the one of the receipt') as string,
    })
  })

  it('is not a receipt whose path does not fit', async () => {
    const path = put('bad.tlog-proof', receiptAt(1, 7).replace('index 1', 'index 2'))
    await expect(read(path)).rejects.toMatchObject({ code: 10 })
  })

  it('is signed by a trusted key, if one is given', async () => {
    const path = put('signed.txt', `${noteAt(1)}\n${noteAt(4)}\n`)
    expect(await read(path)).toMatchObject({ isSigned: false })
    expect(await read(path, trusted())).toMatchObject({ isSigned: true })
    const stranger = await logKey(ORIGIN, 5)
    await expect(read(path, { keys: [stranger.vkey], policy: null })).rejects.toMatchObject({ code: 14 })
    const forged = put('forged.txt', `${noteAt(1)}\n${noteAt(4, [stranger])}\n`)
    await expect(read(forged, trusted())).rejects.toMatchObject({
      code: 14,
      message: expect.stringContaining(forged) as string,
    })
  })

  it('meets the policy in one of its notes', async () => {
    await expect(read(put('a.txt', `${noteAt(1)}\n`), await policy())).rejects.toMatchObject({ code: 15 })
    const cosigned = put('b.txt', `${noteAt(1)}\n${noteAt(4, [key], [witness])}\n${noteAt(7)}\n`)
    expect((await read(cosigned, await policy())).anchors).toHaveLength(3)
  })

  it.each(['6', 'x:y', `6:${'0'.repeat(63)}`])('is not %j', (given) =>
    expect(read(given)).rejects.toBeInstanceOf(NoAnchor),
  )
})
