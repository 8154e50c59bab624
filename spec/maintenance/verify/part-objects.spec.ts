import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { objectFile, PARTS_FOLDER } from '../../../storage/objects/file-store.ts'
import { ROW_BYTES } from '../../../storage/objects/rows.ts'
import { aDocument } from '../../support/documents/documents.ts'
import { attach, digestOf, noise, sendEvidence } from '../../support/documents/parts.ts'
import { withBit } from '../../support/documents/stored-objects.ts'
import { bucketOf, settingsOf } from '../../support/s3/buckets.ts'
import { KEYS, startS3Server } from '../../support/s3/stand-in.ts'
import { openApp } from '../../support/servers/app.ts'
import { onPostgres } from '../../support/stores/open-fresh.ts'
import { verifyStore } from '../../support/stores/verified.ts'

for (const [name, value] of Object.entries(KEYS)) vi.stubEnv(name, value)
const s3 = await startS3Server()
afterAll(async () => {
  await s3[Symbol.asyncDispose]()
  vi.unstubAllEnvs()
})

const zeros = (bytes: number): string => (onPostgres ? `decode(repeat('00', ${bytes}), 'hex')` : `zeroblob(${bytes})`)
const [one, other] = [noise(600_000, 1), noise(600_000, 2)]
const PART = (bytes: Buffer) => `(SELECT part_no FROM parts WHERE sha256 = '${digestOf(bytes)}')`
const OBJECT = (bytes: Buffer) => `(SELECT object_id FROM part_objects WHERE part_no = ${PART(bytes)})`
const ofObject = `WHERE object_id = ${OBJECT(one)}`
const small = Buffer.from('a part in a frame')
const TABLES = ['objects', 'part_objects', 'part_frames', 'parts', 'part_sets', 'run_parts']

describe.each([onPostgres ? 'the table' : 'files', 'a bucket'])('large parts in %s', async (place) => {
  const url = s3.storeUrl('verified')
  const isInBucket = place === 'a bucket'
  const spec = await openApp(isInBucket ? { bucket: settingsOf(url) } : {})
  afterAll(() => spec.close())
  const verify = () => verifyStore(spec, { parts: 'all', ...(isInBucket && { bucket: bucketOf(url) }) })
  const kindFound = async (): Promise<string | null> => (await verify()).finding?.kind ?? null

  const idOf = async (bytes: Buffer): Promise<string> => String((await spec.column(`SELECT ${OBJECT(bytes)}`))[0])
  const keyOf = (id: string): string => `verified/objects/${id}`
  const fileOf = (id: string): string => objectFile(join(spec.dataDir, PARTS_FOLDER), id)
  const readSealed = async (id: string): Promise<Buffer> => {
    if (isInBucket) return Buffer.from(s3.objects.get(keyOf(id))?.body ?? [])
    if (!onPostgres) return readFileSync(fileOf(id))
    const rows = await spec.column('SELECT bytes FROM object_rows WHERE object_id = $1 ORDER BY n', [id])
    return Buffer.concat(rows as Buffer[])
  }
  /** Replaces the sealed bytes of an object; without bytes it is gone. */
  const writeSealed = async (id: string, bytes: Buffer | null): Promise<void> => {
    if (isInBucket) {
      if (bytes === null) s3.objects.delete(keyOf(id))
      else s3.objects.set(keyOf(id), { body: bytes, checksum: undefined, at: new Date(0) })
    } else if (!onPostgres) {
      if (bytes === null) rmSync(fileOf(id))
      else writeFileSync(fileOf(id), bytes)
    } else {
      await spec.rows('DELETE FROM object_rows WHERE object_id = $1', [id])
      for (let n = 0; bytes !== null && n * ROW_BYTES < bytes.length; n++)
        await spec.rows('INSERT INTO object_rows (object_id, n, bytes) VALUES ($1, $2, $3)', [
          ...[id, n, bytes.subarray(n * ROW_BYTES, (n + 1) * ROW_BYTES)],
        ])
    }
  }

  const upload = async (run_id: string, ...parts: Buffer[]): Promise<void> => {
    await spec.ingest(aDocument({ run_id }))
    const write = spec.sendAs('write')
    const manifest = await sendEvidence(
      write,
      parts.map((bytes) => ({ bytes, role: 'original' })),
    )
    expect((await attach(write, run_id, manifest)).statusCode).toBe(201)
  }
  /** The sealed bytes of the part `one` as they were stored for a run that was deleted since. */
  let older: Buffer = Buffer.alloc(0)
  beforeAll(async () => {
    await upload('before', one)
    older = await readSealed(await idOf(one))
    expect((await spec.sendAs('admin')('DELETE', '/runs/before')).statusCode).toBe(204)
    await spec.services.partStore.removeDropped()
    await upload('one', one)
    await upload('other', other, small)
  })

  it('are in order', async () => expect(await verify()).toMatchObject({ finding: null, notes: [], parts: 5 }))

  it.each<[string, (sealed: Buffer, another: Buffer) => Buffer | null, string]>([
    ['gone', () => null, 'missing'],
    ['cut', (sealed) => sealed.subarray(0, -1), 'missing'],
    ['cut after a chunk', (sealed) => sealed.subarray(0, 300_000), 'missing'],
    ['longer', (sealed) => Buffer.concat([sealed, Buffer.of(1)]), 'altered'],
    ['changed in a bit of its first byte', (sealed) => withBit(sealed, 0), 'altered'],
    ['changed in a bit of its last byte', (sealed) => withBit(sealed, sealed.length - 1), 'altered'],
    ['that of another part', (_, another) => another, 'altered'],
    ['an older copy of the same part', () => older, 'altered'],
  ])('are found with an object that is %s', async (_, change, kind) => {
    const id = await idOf(one)
    const sealed = await readSealed(id)
    const changed = change(sealed, await readSealed(await idOf(other)))
    expect(changed?.equals(sealed)).not.toBe(true)
    await writeSealed(id, changed)
    try {
      expect(await kindFound()).toBe(kind)
    } finally {
      await writeSealed(id, sealed)
    }
  })

  const CHANGES: ReadonlyArray<readonly [string, string, string]> = [
    ['a key', `UPDATE objects SET key = ${zeros(32)} ${ofObject}`, 'altered'],
    [
      'the key of another object',
      `UPDATE objects SET key = (SELECT key FROM objects WHERE object_id = ${OBJECT(other)}) ${ofObject}`,
      'altered',
    ],
    ['no key', `UPDATE objects SET key = NULL ${ofObject}`, 'missing'],
    ['other lengths', `UPDATE objects SET lengths = ${zeros(12)} ${ofObject}`, 'altered'],
    ['no lengths', `UPDATE objects SET lengths = NULL ${ofObject}`, 'altered'],
    ['another state', `UPDATE objects SET state = 'writing' ${ofObject}`, 'altered'],
    [
      'another place',
      `UPDATE objects SET place = 'elsewhere' ${ofObject}`,
      place === 'the table' ? 'altered' : 'missing',
    ],
    ['no row', `DELETE FROM objects ${ofObject}`, 'missing'],
    [
      'the object of another part',
      `UPDATE part_objects SET object_id = ${OBJECT(other)} WHERE part_no = ${PART(one)}`,
      'altered',
    ],
    ['no object', `DELETE FROM part_objects WHERE part_no = ${PART(one)}`, 'missing'],
    ['another size', `UPDATE parts SET bytes = bytes + 1 WHERE part_no = ${PART(one)}`, 'altered'],
    ['another digest', `UPDATE parts SET sha256 = '${'0'.repeat(64)}' WHERE part_no = ${PART(one)}`, 'missing'],
    ['no run', `DELETE FROM run_parts WHERE part_no = ${PART(one)}`, 'missing'],
    ['another set', 'UPDATE run_parts SET set_no = 99', 'altered'],
    ['a set of another name', "UPDATE part_sets SET project = 'x'", 'altered'],
    ['another frame', `UPDATE part_frames SET bytes = ${zeros(20)} WHERE part_no = ${PART(small)}`, 'altered'],
    ['no frame', `DELETE FROM part_frames WHERE part_no = ${PART(small)}`, 'missing'],
    ['no manifest', 'DELETE FROM run_parts WHERE manifest = 1', 'missing'],
    [
      'a run that there is not',
      'INSERT INTO run_parts SELECT 99, sha256, part_no, 0, set_no FROM run_parts LIMIT 1',
      'altered',
    ],
    [
      'a digest more',
      `INSERT INTO run_parts SELECT run_no, '${'0'.repeat(64)}', part_no, 0, set_no FROM run_parts LIMIT 1`,
      'altered',
    ],
  ]
  // Those of other tables than these two are the same wherever objects are.
  it.each(CHANGES.filter(([, change]) => !isInBucket || /\bobjects|part_objects/.test(change)))(
    'are found with a part that has %s',
    async (_, change, kind) => {
      const schema = onPostgres ? '' : 'temp.'
      for (const table of TABLES) await spec.execute(`CREATE TEMPORARY TABLE kept_${table} AS SELECT * FROM ${table}`)
      try {
        await spec.execute(change)
        expect(await kindFound()).toBe(kind)
      } finally {
        for (const table of TABLES)
          await spec.execute(
            `DELETE FROM ${table}; INSERT INTO ${table} SELECT * FROM ${schema}kept_${table}; DROP TABLE ${schema}kept_${table}`,
          )
      }
    },
  )

  it('are in order again when all of it was undone', async () =>
    expect(await verify()).toMatchObject({ finding: null, notes: [], parts: 5 }))
})
