import { afterAll, describe, expect, it, vi } from 'vitest'
import { objectReader } from '../../../../storage/objects/read-object.ts'
import { decodeLengths, openChunk } from '../../../../storage/objects/seal.ts'
import { json } from '../../../support/access/access-requests.ts'
import { aCase, aDocument } from '../../../support/documents/documents.ts'
import { attach, digestOf, noise, sendEvidence } from '../../../support/documents/parts.ts'
import { bucketOf, settingsOf } from '../../../support/s3/buckets.ts'
import { KEYS, startS3Server } from '../../../support/s3/stand-in.ts'
import { openApp, partsFolderOf } from '../../../support/servers/app.ts'

for (const [name, value] of Object.entries(KEYS)) vi.stubEnv(name, value)
const s3 = await startS3Server()
const url = s3.storeUrl('erased')
afterAll(async () => {
  await s3[Symbol.asyncDispose]()
  vi.unstubAllEnvs()
})

const small = Buffer.from('a note of the run that is erased')
const large = noise(300_000, 5)
/** Tables that have rows of stored parts. */
const TABLES = ['parts', 'part_objects', 'part_frames', 'run_parts', 'outlines', 'outline_keys'] as const

describe.each(['the service itself', 'a bucket'])('evidence of an erased run in %s', async (place) => {
  const spec = await openApp(place === 'a bucket' ? { bucket: settingsOf(url) } : {})
  afterAll(() => spec.close())
  const write = spec.sendAs('write')

  it('cannot be opened with any key that is left, by one who copied its objects before', async () => {
    for (const run_id of ['stays', 'erased']) {
      await spec.ingest(aDocument({ run_id }))
      const own = run_id === 'stays' ? noise(300_000, 6) : large
      const manifest = await sendEvidence(write, [
        { bytes: own, role: 'original' },
        { bytes: run_id === 'stays' ? Buffer.from('another note') : small, role: 'input', case_key: aCase().case_key },
      ])
      expect((await attach(write, run_id, manifest)).statusCode).toBe(201)
    }
    const ofErased = `sha256 IN ('${digestOf(large)}', '${digestOf(small)}')`
    const numbers = (await spec.column(`SELECT part_no FROM parts WHERE ${ofErased}`)).map(Number)
    expect(numbers).toHaveLength(2)
    const [row] = await spec.rows(
      `SELECT object_id, place, key, lengths FROM objects JOIN part_objects USING (object_id) JOIN parts USING (part_no)
       WHERE ${ofErased}`,
    )
    const [id, key] = [String(row?.['object_id']), Buffer.from(row?.['key'] as Uint8Array)]
    const [length = 0] = decodeLengths(Buffer.from(row?.['lengths'] as Uint8Array))
    const { read } = spec.service.reader
    const readObject = objectReader({ read, partsFolder: partsFolderOf(spec), s3: bucketOf(url) })
    const copy = await readObject({ object_id: id, place: String(row?.['place']) }, 0, length)
    const open = (tried: Buffer) => openChunk(Buffer.from(copy), { key: tried, id, n: 0 })
    expect((await open(key)).equals(large.subarray(0, 262_144))).toBe(true)

    const body = JSON.stringify({ reference: 'T-1', run_id: 'erased' })
    const erased = await spec.sendAs('admin')('POST', '/erasures', { headers: json, body })
    expect(erased.json()).toMatchObject({ parts: 2, objects_pending: 1 })
    const left = (await spec.column('SELECT key FROM objects WHERE key IS NOT NULL')).map((bytes) =>
      Buffer.from(bytes as Uint8Array),
    )
    expect(left.length).toBeGreaterThan(0)
    for (const other of left) await expect(open(other)).rejects.toThrow('is not the one that was sealed')
    for (const table of TABLES)
      expect(await spec.rows(`SELECT 1 FROM ${table} WHERE part_no IN (${numbers.join(', ')})`)).toEqual([])
    expect(await spec.rows(`SELECT 1 FROM case_parts WHERE ${ofErased}`)).toEqual([])
    expect(await holdersOf(key)).toEqual([])
    await spec.services.partStore.removeDropped()
    await expect(readObject({ object_id: id, place: String(row?.['place']) }, 0, length)).rejects.toThrow(id)
  })

  /** The tables of which a row has some bytes in any column. */
  const holdersOf = async (bytes: Buffer): Promise<string[]> => {
    const tables = await spec.column(
      spec.databaseUrl === null
        ? "SELECT name FROM sqlite_schema WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%'"
        : 'SELECT tablename FROM pg_tables WHERE schemaname = current_schema()',
    )
    const holders: string[] = []
    for (const table of tables.map(String)) {
      const rows = await spec.rows(`SELECT * FROM "${table}"`)
      const values = rows.flatMap((row) => Object.values(row)).filter((value) => value instanceof Uint8Array)
      if (values.some((value) => Buffer.from(value).includes(bytes))) holders.push(table)
    }
    return holders
  }
})
