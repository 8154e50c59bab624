import { readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { SYSTEM } from '../../../../queries/access/viewer.ts'
import { openPartStore } from '../../../../runtime/evidence/part-store.ts'
import { json } from '../../../support/access/access-requests.ts'
import { aDocument } from '../../../support/documents/documents.ts'
import { attach, digestOf, noise, PIECE, putPart, putPiece, sendEvidence } from '../../../support/documents/parts.ts'
import { partFiles, storedObjects } from '../../../support/documents/stored-objects.ts'
import { openApp, partsFolderOf } from '../../../support/servers/app.ts'
import { PART_LIMITS } from '../../../support/servers/part-limits.ts'
import { verifyStore } from '../../../support/stores/verified.ts'

let clock = Date.UTC(2026, 4, 4, 8)
const spec = await openApp({ now: () => clock++ })
afterAll(() => spec.close())
const [write, read, admin] = [spec.sendAs('write'), spec.sendAs('read'), spec.sendAs('admin')]
const text = Buffer.from('a line that would be seen\n'.repeat(20_000))
const modeOf = (path: string): string => (statSync(path).mode & 0o777).toString(8)

describe('large parts of a state directory', () => {
  it('are sealed files for their owner alone, named by chance; small ones make none', async () => {
    await spec.ingest(aDocument({ run_id: 'sealed' }))
    await attach(write, 'sealed', await sendEvidence(write, [{ bytes: Buffer.from('small'), role: 'original' }]))
    expect(partFiles(spec.dataDir)).toEqual([])
    await attach(write, 'sealed', await sendEvidence(write, [{ bytes: text, role: 'original' }]))
    const [path = '', ...others] = partFiles(spec.dataDir)
    expect(others).toEqual([])
    const [id] = await spec.column('SELECT object_id FROM part_objects')
    expect(path).toBe(join(spec.dataDir, 'parts', 'objects', String(id).slice(0, 2), String(id)))
    expect([modeOf(path), modeOf(dirname(path)), modeOf(join(spec.dataDir, 'parts'))]).toEqual(['600', '700', '700'])
    expect(await spec.rows('SELECT object_id FROM object_rows')).toEqual([])
    const stored = readFileSync(path)
    expect(stored.length).toBeLessThan(text.length / 10)
    const everything = [...readdirSync(join(spec.dataDir, 'parts'), { recursive: true }), stored.toString('latin1')]
    expect(everything.join()).not.toContain(digestOf(text))
    expect(stored.includes(text.subarray(0, 20))).toBe(false)
    const part = await read('GET', `/runs/sealed/parts/${digestOf(text)}`)
    expect(part.rawPayload.equals(text)).toBe(true)
  })

  it('begin with the identity of the log, the leaf of its first record', async () => {
    const [leaf] = await spec.column('SELECT leaf FROM events WHERE seq = 1')
    const identity = readFileSync(join(spec.dataDir, 'parts', 'store'), 'utf8')
    expect(identity).toBe(`${(leaf as Buffer).toString('hex')}\n`)
  })

  it('of an erased run go, first their keys and then their files', async () => {
    const own = noise(300_000, 5)
    await spec.ingest(aDocument({ run_id: 'erased' }))
    await attach(write, 'erased', await sendEvidence(write, [{ bytes: own, role: 'original' }]))
    const before = partFiles(spec.dataDir)
    const erasure = { headers: json, body: JSON.stringify({ reference: 'T-1', run_id: 'erased' }) }
    expect((await admin('POST', '/erasures', erasure)).json()).toMatchObject({
      ...{ documents: 1, parts: 1, shared_parts: 0, objects_pending: 1 },
    })
    await spec.services.partStore.removeDropped()
    expect(partFiles(spec.dataDir)).toHaveLength(before.length - 1)
    expect(await spec.rows('SELECT object_id FROM objects WHERE key IS NULL')).toEqual([])
    expect((await verifyStore(spec)).finding).toBeNull()
  })

  it('that were interrupted while they were written are swept after a day', async () => {
    const { service } = spec
    const store = openPartStore({ ...service, partsFolder: partsFolderOf(spec), now: () => clock++ }, PART_LIMITS)
    const bytes = noise(PIECE + 5, 9)
    await putPiece(write, bytes, 0)
    // As after a kill between the rename and the commit.
    await spec.execute(`
      UPDATE objects SET state = 'writing' WHERE object_id IN (
        SELECT object_id FROM part_objects WHERE part_no IN (
          SELECT part_no FROM staged_parts WHERE sha256 = '${digestOf(bytes)}'))`)
    await spec.execute(
      `DELETE FROM part_objects WHERE object_id NOT IN (SELECT object_id FROM objects WHERE state = 'stored')`,
    )
    await spec.execute(`DELETE FROM staged_parts WHERE sha256 = '${digestOf(bytes)}'`)
    const count = partFiles(spec.dataDir).length
    clock += 23 * 3_600_000
    await store.sweep(AbortSignal.timeout(60_000))
    expect(partFiles(spec.dataDir)).toHaveLength(count)
    clock += 2 * 3_600_000
    await store.sweep(AbortSignal.timeout(60_000))
    expect(partFiles(spec.dataDir)).toHaveLength(count - 1)
  })

  it('take a part of 8 MiB and one byte more or less, whole and in pieces', async () => {
    for (const length of [PIECE - 1, PIECE, PIECE + 1]) {
      const [whole, pieces] = [noise(length, length), noise(length, length + 50)]
      await putPart(write, whole)
      for (let n = 0; n * PIECE < length; n++) await putPiece(write, pieces, n)
      const run_id = `of ${length}`
      await spec.ingest(aDocument({ run_id }))
      const entries = [whole, pieces].map((bytes) => ({
        sha256: digestOf(bytes),
        bytes: bytes.length,
        role: 'original',
      }))
      const manifest = Buffer.from(JSON.stringify({ evidence: 1, parts: entries }))
      await putPart(write, manifest)
      expect((await attach(write, run_id, digestOf(manifest))).statusCode).toBe(201)
      for (const bytes of [whole, pieces]) {
        const part = await read('GET', `/runs/${encodeURIComponent(run_id)}/parts/${digestOf(bytes)}`)
        expect(part.rawPayload.equals(bytes)).toBe(true)
      }
    }
  })

  it('whose folder cannot be written to are refused with 503, and nothing of them is kept', async () => {
    const other = await openApp()
    try {
      // A file is where the folder has to be.
      const store = openPartStore(
        { ...other.service, partsFolder: join(other.dataDir, 'service.db', 'parts') },
        PART_LIMITS,
      )
      const bytes = noise(300_000, 12)
      await expect(store.storeWhole(SYSTEM, digestOf(bytes), bytes)).rejects.toThrow('a file of parts cannot be used')
      expect(await other.rows('SELECT * FROM staged_parts')).toEqual([])
      expect(await storedObjects(other)).toEqual([])
    } finally {
      await other.close()
    }
  })
})
