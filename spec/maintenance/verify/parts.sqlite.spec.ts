import {
  appendFileSync,
  copyFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { verifyLog } from '../../../maintenance/verify/log.ts'
import { PART_CHECKS, type PartCheck } from '../../../maintenance/verify/parts.ts'
import { openPartStore } from '../../../runtime/evidence/part-store.ts'
import { objectFile } from '../../../storage/objects/file-store.ts'
import { aCase, aDocument } from '../../support/documents/documents.ts'
import { attach, digestOf, noise, PIECE, putPart, putPiece, sendEvidence } from '../../support/documents/parts.ts'
import { openApp } from '../../support/servers/app.ts'
import { PART_LIMITS } from '../../support/servers/part-limits.ts'
import { onFile } from '../../support/stores/store.ts'

const small = Buffer.from('a small part')
const [large, other] = [noise(600_000, 3), noise(600_000, 4)]
const pieces = noise(PIECE + 10, 5)

const root = mkdtempSync(join(tmpdir(), 'parts-'))
/** The store with its large parts in the table, as after a copy from a database, and in files. */
const [inTable, inFiles, changed] = [join(root, 'table'), join(root, 'files'), join(root, 'changed')]
afterAll(() => rmSync(root, { recursive: true, force: true }))

const makeStore = async (folder: string, isInFiles: boolean): Promise<void> => {
  const limits = { now: Date.now, partsFolder: null }
  const spec = await openApp(
    isInFiles ? {} : { parts: (service) => ({ partStore: openPartStore({ ...service, ...limits }, PART_LIMITS) }) },
  )
  const write = spec.sendAs('write')
  for (const run_id of ['a', 'b']) await spec.ingest(aDocument({ run_id, cases: [aCase()] }))
  for (const n of [0, 1]) await putPiece(write, pieces, n)
  const listed = [small, large, other, pieces].map((bytes) => ({
    sha256: digestOf(bytes),
    bytes: bytes.length,
    role: 'original',
  }))
  const manifest = Buffer.from(JSON.stringify({ evidence: 1, parts: listed }))
  for (const bytes of [small, large, other, manifest]) await putPart(write, bytes)
  await attach(write, 'a', digestOf(manifest))
  await attach(write, 'b', await sendEvidence(write, [{ bytes: small, role: 'output', case_key: aCase().case_key }]))
  // Parts that no run names yet, of which one is not complete.
  await putPart(write, noise(300_000, 6))
  await putPiece(write, noise(PIECE + 1, 7), 0)
  mkdirSync(folder)
  await spec.execute(`VACUUM INTO '${join(folder, 'service.db')}'`)
  if (isInFiles) cpSync(join(spec.dataDir, 'parts'), join(folder, 'parts'), { recursive: true })
  await spec.close()
}
beforeAll(async () => {
  await makeStore(inTable, false)
  await makeStore(inFiles, true)
})

const verifyChanged = (parts: PartCheck) => verifyLog(join(changed, 'service.db'), null, undefined, { parts })
const copyOf = (folder: string): void => {
  rmSync(changed, { recursive: true, force: true })
  cpSync(folder, changed, { recursive: true })
}

/** What is found after some changes of a copy of the store. */
const findingAfter = async (changes: string, parts: PartCheck = 'all', folder = inTable): Promise<string | null> => {
  copyOf(folder)
  onFile(join(changed, 'service.db'), (database) => database.exec(changes))
  const { finding } = await verifyChanged(parts)
  return finding?.kind ?? null
}

/** The file of the object of a part, in the copy of the store. */
const fileOf = (bytes: Buffer): string => {
  const ids = onFile(join(changed, 'service.db'), (database) =>
    database
      .prepare(`SELECT ${OBJECT(bytes)}`)
      .pluck()
      .get(),
  )
  return objectFile(join(changed, 'parts'), String(ids))
}

const PART = (bytes: Buffer) => `(SELECT part_no FROM parts WHERE sha256 = '${digestOf(bytes)}' LIMIT 1)`
const OBJECT = (bytes: Buffer) => `(SELECT object_id FROM part_objects WHERE part_no = ${PART(bytes)} LIMIT 1)`
/** The bytes of a row with another last one: sealed with a random key, it may be any before. */
const otherEnd = "substr(bytes, 1, length(bytes) - 1) || CASE substr(bytes, -1) WHEN x'01' THEN x'02' ELSE x'01' END"

describe('the parts of evidence', () => {
  it.each([inTable, inFiles])('are in order, whatever is sent and not named: %s', async (folder) => {
    copyOf(folder)
    for (const check of PART_CHECKS) {
      const { finding, parts, notes } = await verifyChanged(check)
      expect([finding, parts, notes]).toEqual([null, 7, []])
    }
  })

  it.each([
    [
      'a bit of an object',
      `UPDATE object_rows SET bytes = CAST(${otherEnd} AS blob) WHERE object_id = ${OBJECT(large)} AND n = 0`,
      'altered',
    ],
    ['an object that is gone', `DELETE FROM object_rows WHERE object_id = ${OBJECT(large)}`, 'missing'],
    ['an object that is cut', `DELETE FROM object_rows WHERE object_id = ${OBJECT(large)} AND n = 2`, 'missing'],
    ['the row of an object that is gone', `DELETE FROM objects WHERE object_id = ${OBJECT(large)}`, 'missing'],
    ['a key', `UPDATE objects SET key = zeroblob(32) WHERE object_id = ${OBJECT(large)}`, 'altered'],
    ['a key that is gone', `UPDATE objects SET key = NULL WHERE object_id = ${OBJECT(large)}`, 'missing'],
    ['lengths', `UPDATE objects SET lengths = zeroblob(12) WHERE object_id = ${OBJECT(large)}`, 'altered'],
    ['a state', `UPDATE objects SET state = 'writing' WHERE object_id = ${OBJECT(large)}`, 'altered'],
    [
      'two objects that are swapped',
      `UPDATE part_objects SET object_id = CASE part_no WHEN ${PART(large)} THEN ${OBJECT(other)} ELSE ${OBJECT(large)} END
       WHERE part_no IN (${PART(large)}, ${PART(other)})`,
      'altered',
    ],
    ['a piece that is gone', `DELETE FROM part_objects WHERE part_no = ${PART(pieces)} AND n = 1`, 'missing'],
    ['a frame', `UPDATE part_frames SET bytes = zeroblob(20) WHERE part_no = ${PART(small)}`, 'altered'],
    ['a frame that is gone', `DELETE FROM part_frames WHERE part_no = ${PART(small)}`, 'missing'],
    ['the size of a part', `UPDATE parts SET bytes = bytes + 1 WHERE part_no = ${PART(large)}`, 'altered'],
    ['the digest of a part', `UPDATE parts SET sha256 = '${'0'.repeat(64)}' WHERE part_no = ${PART(large)}`, 'missing'],
    ['a part that a run lacks', `DELETE FROM run_parts WHERE sha256 = '${digestOf(large)}'`, 'missing'],
    ['a manifest that a run lacks', 'DELETE FROM run_parts WHERE manifest = 1', 'missing'],
    [
      'a part more',
      `INSERT INTO run_parts SELECT run_no, '${'0'.repeat(64)}', part_no, 0, set_no FROM run_parts LIMIT 1`,
      'altered',
    ],
    ['the set of a part', 'UPDATE run_parts SET set_no = 99', 'altered'],
    ['the name of a set', "UPDATE part_sets SET project = 'x'", 'altered'],
    ['parts of a run that there is not', 'UPDATE run_parts SET run_no = 99 WHERE run_no = 2', 'missing'],
    [
      'parts of no run',
      `INSERT INTO run_parts SELECT 99, sha256, part_no, 0, set_no FROM run_parts LIMIT 1`,
      'altered',
    ],
  ])('are found with %s', async (_, changes, kind) => expect(await findingAfter(changes)).toBe(kind))

  it('are not read without need: their presence alone shows what is gone', async () => {
    const gone = `DELETE FROM object_rows WHERE object_id = ${OBJECT(large)} AND n = 1`
    const wrong = `UPDATE object_rows SET bytes = zeroblob(length(bytes)) WHERE object_id = ${OBJECT(large)}`
    expect(await findingAfter(gone, 'none')).toBe('missing')
    expect(await findingAfter(wrong, 'none')).toBeNull()
    expect(await findingAfter(wrong, 'sample')).toBe('altered')
  })
})

describe('the files of large parts', () => {
  /** What is found after a change of the files of two parts. */
  const afterChange = async (change: (file: string, another: string) => void, check: PartCheck = 'all') => {
    copyOf(inFiles)
    change(fileOf(large), fileOf(other))
    return (await verifyChanged(check)).finding?.kind ?? null
  }
  const flipBit = (file: string, at: number): void => {
    const bytes = readFileSync(file)
    bytes.writeUInt8(bytes.readUInt8(at) ^ 1, at)
    writeFileSync(file, bytes)
  }

  it('are found with each change', async () => {
    expect(await afterChange((file) => flipBit(file, 300_000))).toBe('altered')
    expect(await afterChange((file) => rmSync(file), 'none')).toBe('missing')
    expect(await afterChange((file) => truncateSync(file, 5), 'none')).toBe('missing')
    expect(await afterChange((file) => appendFileSync(file, 'x'), 'none')).toBe('altered')
    expect(await afterChange((file, another) => copyFileSync(another, file))).toBe('altered')
    expect(await afterChange(() => rmSync(join(changed, 'parts'), { recursive: true }), 'none')).toBe('missing')
  })

  it.each([
    ['the row of an object that is gone', `DELETE FROM objects WHERE object_id = ${OBJECT(large)}`, 'missing'],
    ['a key', `UPDATE objects SET key = zeroblob(32) WHERE object_id = ${OBJECT(large)}`, 'altered'],
    ['lengths', `UPDATE objects SET lengths = zeroblob(12) WHERE object_id = ${OBJECT(large)}`, 'altered'],
    ['a place', `UPDATE objects SET place = 'table' WHERE object_id = ${OBJECT(large)}`, 'missing'],
    ['another place', `UPDATE objects SET place = 'moon' WHERE object_id = ${OBJECT(large)}`, 'missing'],
  ])('are found with %s', async (_, changes, kind) => expect(await findingAfter(changes, 'all', inFiles)).toBe(kind))

  it('are no finding if their run is deleted while they are read', async () => {
    copyOf(inFiles)
    const database = new Database(join(changed, 'service.db'))
    database.pragma('journal_mode = WAL')
    const ids = database.prepare('SELECT object_id FROM part_objects').pluck().all() as string[]
    const { finding } = await verifyLog(join(changed, 'service.db'), null, undefined, {
      parts: 'all',
      observeSnapshot: () => {
        database.exec("UPDATE objects SET state = 'deleting', key = NULL")
        for (const id of ids) rmSync(objectFile(join(changed, 'parts'), id))
      },
    })
    database.close()
    expect(finding).toBeNull()
  })
})
