import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { aCase, aDocument } from '../../support/documents/documents.ts'
import { moveAll, moverOf } from '../../support/documents/moves.ts'
import { attach, noise, sendEvidence } from '../../support/documents/parts.ts'
import { bucketOf, settingsOf } from '../../support/s3/buckets.ts'
import { KEYS, startS3Server } from '../../support/s3/stand-in.ts'
import { openApp } from '../../support/servers/app.ts'
import { onPostgres } from '../../support/stores/open-fresh.ts'
import { verifyStore } from '../../support/stores/verified.ts'

for (const [name, value] of Object.entries(KEYS)) vi.stubEnv(name, value)
const s3 = await startS3Server()
const url = s3.storeUrl('moved')
const spec = await openApp({ bucket: settingsOf(url), movesDocuments: true })
afterAll(async () => {
  await spec.close()
  await s3[Symbol.asyncDispose]()
  vi.unstubAllEnvs()
})

const verify = () => verifyStore(spec, { parts: 'all', bucket: bucketOf(url) })
const numberOf = (run_id: string): string => `(SELECT run_no FROM runs WHERE id = '${run_id}')`
const objectOf = (run_id: string): string => `(SELECT object_id FROM run_objects WHERE run_no = ${numberOf(run_id)})`
const zeros = (bytes: number): string => (onPostgres ? `decode(repeat('00', ${bytes}), 'hex')` : `zeroblob(${bytes})`)

/** Two runs whose documents have two chunks and are in objects, one of them with a part, and a run whose document stays. */
beforeAll(async () => {
  const upload = async (run_id: string, seed: number) =>
    spec.ingest(aDocument({ run_id, cases: [aCase({ output: noise(200_000, seed).toString('hex') })] }))
  const write = spec.sendAs('write')
  for (const [seed, run_id] of ['a', 'b'].entries()) expect((await upload(run_id, seed + 1)).statusCode).toBe(201)
  const manifest = await sendEvidence(write, [{ bytes: noise(5000, 3), role: 'original' }])
  expect((await attach(write, 'a', manifest)).statusCode).toBe(201)
  expect(await moveAll(moverOf(spec, url))).toBe(2)
  expect((await upload('stays', 4)).statusCode).toBe(201)
})

const TABLES = ['run_objects', 'objects', 'part_objects', 'document_frames']
/** What is found after a change of the rows, which is undone afterwards. */
const findingAfter = async (change: string): Promise<string | null> => {
  const schema = onPostgres ? '' : 'temp.'
  for (const table of TABLES) await spec.execute(`CREATE TEMPORARY TABLE kept_${table} AS SELECT * FROM ${table}`)
  try {
    await spec.execute(change)
    const { finding } = await verify()
    return finding?.kind ?? null
  } finally {
    for (const table of TABLES)
      await spec.execute(
        `DELETE FROM ${table}; INSERT INTO ${table} SELECT * FROM ${schema}kept_${table}; DROP TABLE ${schema}kept_${table}`,
      )
  }
}

describe('a store whose documents are in objects', () => {
  it('is in order as it is, and again after each change was undone', async () => {
    expect(await spec.column('SELECT count(*) FROM run_objects')).toEqual([2])
    expect(await spec.column('SELECT count(*) FROM part_objects WHERE start IS NOT NULL')).toEqual([1])
    expect(await findingAfter('DELETE FROM run_objects')).toBe('missing')
    expect(await verify()).toMatchObject({ finding: null, notes: [] })
  })

  it.each([
    ['another run', `UPDATE run_objects SET run_no = 99 WHERE run_no = ${numberOf('a')}`, 'missing'],
    [
      'the run of another object',
      `UPDATE run_objects SET run_no = ${numberOf('stays')} WHERE run_no = ${numberOf('a')}`,
      'missing',
    ],
    [
      'an object of no run',
      `INSERT INTO run_objects SELECT 99, n, object_id, bytes, document_bytes FROM run_objects WHERE run_no = ${numberOf('a')}`,
      'altered',
    ],
    ['no object', `DELETE FROM run_objects WHERE run_no = ${numberOf('b')}`, 'missing'],
    [
      'an object that is there twice',
      `INSERT INTO run_objects SELECT run_no, n + 1, object_id, bytes, document_bytes FROM run_objects WHERE run_no = ${numberOf('a')}`,
      'altered',
    ],
    [
      'the object of another run',
      `UPDATE run_objects SET object_id = ${objectOf('b')} WHERE run_no = ${numberOf('a')}`,
      'altered',
    ],
    [
      'an object that there is not',
      `UPDATE run_objects SET object_id = 'none' WHERE run_no = ${numberOf('a')}`,
      'missing',
    ],
    [
      'a byte less',
      `UPDATE run_objects SET document_bytes = document_bytes - 1 WHERE run_no = ${numberOf('a')}`,
      'missing',
    ],
    [
      'a byte more',
      `UPDATE run_objects SET document_bytes = document_bytes + 1 WHERE run_no = ${numberOf('a')}`,
      'altered',
    ],
    ['no bytes', 'UPDATE run_objects SET document_bytes = 0', 'missing'],
    [
      'a document in two places',
      `INSERT INTO document_frames SELECT ${numberOf('a')}, n, raw_length, bytes FROM document_frames`,
      'altered',
    ],
    ['the row of an object that is gone', `DELETE FROM objects WHERE object_id = ${objectOf('a')}`, 'missing'],
    ['a key', `UPDATE objects SET key = ${zeros(32)} WHERE object_id = ${objectOf('a')}`, 'altered'],
    ['a key that is gone', `UPDATE objects SET key = NULL WHERE object_id = ${objectOf('a')}`, 'missing'],
    [
      'the key of another object',
      `UPDATE objects SET key = (SELECT key FROM objects WHERE object_id = ${objectOf('b')}) WHERE object_id = ${objectOf('a')}`,
      'altered',
    ],
    ['lengths', `UPDATE objects SET lengths = ${zeros(8)} WHERE object_id = ${objectOf('a')}`, 'altered'],
    ['lengths that are gone', `UPDATE objects SET lengths = NULL WHERE object_id = ${objectOf('a')}`, 'altered'],
    ['a place', `UPDATE objects SET place = 'table' WHERE object_id = ${objectOf('a')}`, 'missing'],
    ['a state', `UPDATE objects SET state = 'writing' WHERE object_id = ${objectOf('a')}`, 'altered'],
    ['the start of a part', 'UPDATE part_objects SET start = start - 1 WHERE start IS NOT NULL', 'altered'],
  ])('is found with %s', async (_, change, kind) => expect(await findingAfter(change)).toBe(kind))

  it.each([
    ['gone', null, 'missing'],
    ['cut', (body: Buffer) => body.subarray(0, -1), 'missing'],
    ['longer', (body: Buffer) => Buffer.concat([body, Buffer.of(1)]), 'altered'],
    [
      'changed in one bit',
      (body: Buffer) => Buffer.from(body).fill((body[100_000] ?? 0) ^ 1, 100_000, 100_001),
      'altered',
    ],
    ['that of another run', 'other', 'altered'],
  ] as const)('is found with an object that is %s', async (_, change, kind) => {
    const [key, other] = (await spec.column('SELECT object_id FROM run_objects ORDER BY run_no DESC')).map(
      (id) => `moved/objects/${String(id)}`,
    )
    const [stored, another] = [s3.objects.get(key ?? ''), s3.objects.get(other ?? '')]
    if (key === undefined || !stored || !another) throw new Error('both documents were moved')
    if (change === null) s3.objects.delete(key)
    else s3.objects.set(key, { ...stored, body: change === 'other' ? another.body : change(stored.body) })
    try {
      expect((await verify()).finding?.kind).toBe(kind)
    } finally {
      s3.objects.set(key, stored)
    }
    expect((await verify()).finding).toBeNull()
  })
})
