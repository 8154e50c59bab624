import { afterAll, expect, it, vi } from 'vitest'
import { json } from '../../../support/access/access-requests.ts'
import { aCase, aDocument } from '../../../support/documents/documents.ts'
import { moveAll, moverOf } from '../../../support/documents/moves.ts'
import { attach, noise, sendEvidence } from '../../../support/documents/parts.ts'
import { bytesIn } from '../../../support/files-with.ts'
import { bucketOf, settingsOf } from '../../../support/s3/buckets.ts'
import { KEYS, startS3Server } from '../../../support/s3/stand-in.ts'
import { openApp } from '../../../support/servers/app.ts'
import { verifyStore } from '../../../support/stores/verified.ts'

for (const [name, value] of Object.entries(KEYS)) vi.stubEnv(name, value)
const s3 = await startS3Server()
const url = s3.storeUrl('moved')
const spec = await openApp({ bucket: settingsOf(url), movesDocuments: true })
afterAll(async () => {
  await spec.close()
  await s3[Symbol.asyncDispose]()
  vi.unstubAllEnvs()
})
const [write, admin] = [spec.sendAs('write'), spec.sendAs('admin')]
const RUNS = [0, 1, 2, 3]

/** Texts of a run that are in no other one and cannot be compressed, and a small part of it. */
const textsOf = (run: number) => Array.from({ length: 12 }, (_, i) => noise(20_000, 100 * run + i + 1).toString('hex'))
const partOf = (run: number) => noise(50_000, 100 * run + 50)
/** The rows that hold bytes of runs, or open them. */
const stored = async (): Promise<Buffer[]> => {
  const queries = [
    'SELECT bytes FROM document_frames',
    'SELECT bytes FROM part_frames WHERE length(bytes) > 10000',
    'SELECT key FROM objects WHERE key IS NOT NULL',
  ]
  const rows = (await Promise.all(queries.map((query) => spec.column(query)))).flat()
  return rows.map((bytes) => Buffer.from(bytes as Uint8Array))
}
/** Short pieces of long rows, because a file has them in pages. */
const piecesOf = (row: Buffer): Buffer[] =>
  row.length <= 64 ? [row] : [1, 2, 3].map((n) => row.subarray((row.length / 4) * n, (row.length / 4) * n + 32))

it('nothing of an erased run whose document was moved is in a file: neither the rows from before, nor its key', async () => {
  for (const run of RUNS) {
    const cases = textsOf(run).map((output, i) => aCase({ cell: { test_id: `t${i}` }, case_key: `c${i}`, output }))
    expect((await spec.ingest(aDocument({ run_id: `run ${run}`, cases }))).statusCode).toBe(201)
    const manifest = await sendEvidence(write, [{ bytes: partOf(run), role: 'original' }])
    expect((await attach(write, `run ${run}`, manifest)).statusCode).toBe(201)
  }
  const framed = await stored()
  expect(bytesIn(spec.dataDir, framed.flatMap(piecesOf)).length).toBeGreaterThan(100)
  expect(await moveAll(moverOf(spec, url))).toBe(RUNS.length)
  const keys = await stored()
  expect(keys.length).toBe(RUNS.length)
  expect(bytesIn(spec.dataDir, keys).length).toBe(RUNS.length)
  const objects = () => [...s3.objects].filter(([key]) => key.startsWith('moved/objects/'))
  const sealed = objects().map(([, { body }]) => body)
  expect(sealed.some((body) => framed.flatMap(piecesOf).some((piece) => body.includes(piece)))).toBe(false)

  // Two are erased, of which one was deleted before; two stay.
  expect((await admin('DELETE', '/runs/run%201')).statusCode).toBe(204)
  for (const run of [0, 1]) {
    const body = JSON.stringify({ reference: 'T-1', run_id: `run ${run}` })
    expect((await admin('POST', '/erasures', { headers: json, body })).statusCode).toBe(200)
  }
  const left = await stored()
  const gone = keys.filter((key) => !left.some((other) => other.equals(key)))
  expect(gone).toHaveLength(2)
  expect(bytesIn(spec.dataDir, gone)).toEqual([])
  // Of the runs that stay, too: their rows went when their documents were moved.
  expect(bytesIn(spec.dataDir, framed.flatMap(piecesOf)).length).toBe(0)
  await expect.poll(() => objects().length).toBe(2)
  expect((await verifyStore(spec, { parts: 'all', bucket: bucketOf(url) })).finding).toBeNull()
})
