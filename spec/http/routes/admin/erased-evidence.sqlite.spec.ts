import { afterAll, expect, it } from 'vitest'
import { json } from '../../../support/access/access-requests.ts'
import { aCase, aDocument } from '../../../support/documents/documents.ts'
import { attach, digestOf, manifestOf, noise, postParts } from '../../../support/documents/parts.ts'
import { bytesIn } from '../../../support/files-with.ts'
import { openApp } from '../../../support/servers/app.ts'
import { verifyStore } from '../../../support/stores/verified.ts'
import { transcriptOf } from '../../../support/transcripts/transcripts.ts'

const spec = await openApp()
afterAll(() => spec.close())
const [write, admin] = [spec.sendAs('write'), spec.sendAs('admin')]
const KEY = aCase().case_key

/** So many that their rows fill several pages of each table, which split while they are inserted in the order of random ids. */
const LARGE = 40
/** A word of its own for the n-th thing of a run. */
const wordOf = (run: number, n: number) => noise(24, 1000 * run + n + 1).toString('hex')

/** The evidence of a run: a small part, a transcript, large parts, and names. `plain`: what a search of files may find of it. */
const evidenceOf = (run: number) => {
  const word = (n: number) => wordOf(run, n)
  const transcript = transcriptOf(
    Array.from({ length: 1500 }, (_, i) => ({ type: 'message', role: 'user', content: `${word(1)} ${i}` })),
  )
  const entries = [
    { bytes: noise(500, run + 1), role: 'input', case_key: KEY, name: word(2) },
    { bytes: transcript, role: 'transcript', case_key: KEY, name: word(3) },
    ...Array.from({ length: LARGE }, (_, i) => ({
      ...{ bytes: Buffer.alloc(270_000, `${word(4)} ${i}\n`), role: 'other', case_key: KEY, name: word(10 + i) },
    })),
  ]
  const words = [1, 2, 3, 4, ...Array.from({ length: LARGE }, (_, i) => 10 + i)].map((n) => Buffer.from(word(n)))
  return { entries, plain: [noise(500, run + 1).subarray(0, 64), ...words] }
}

const sendRun = async (run: number): Promise<void> => {
  const { entries } = evidenceOf(run)
  const manifest = manifestOf(entries)
  expect((await postParts(write, [...entries.map(({ bytes }) => bytes), manifest])).statusCode).toBe(200)
  const run_id = `run ${run}`
  const evidence_manifest = digestOf(manifest)
  // One names its evidence in its document, the next gets it afterwards.
  if (run % 2 === 0)
    return void expect((await spec.ingest({ ...aDocument({ run_id }), evidence_manifest })).statusCode).toBe(201)
  await spec.ingest(aDocument({ run_id }))
  expect((await attach(write, run_id, evidence_manifest)).statusCode).toBe(201)
}

/** The bytes of all rows that open or hold bytes of parts, or are made of them. */
const stored = async (): Promise<Buffer[]> => {
  const queries = [
    'SELECT key FROM objects WHERE key IS NOT NULL',
    'SELECT bytes FROM part_frames',
    'SELECT bytes FROM outlines',
    'SELECT key FROM outline_keys',
  ]
  const rows = (await Promise.all(queries.map((query) => spec.column(query)))).flat()
  return rows.map((bytes) => Buffer.from(bytes as Uint8Array))
}
/** Short pieces of long rows, because a file has them in pages. */
const piecesOf = (row: Buffer): Buffer[] =>
  row.length <= 64 ? [row] : [row.subarray(0, 32), row.subarray(row.length / 2, row.length / 2 + 32)]

it('nothing of the evidence of an erased run is in a file of the state directory: no byte, no name, no key', async () => {
  const RUNS = 4
  for (let run = 0; run < RUNS; run++) await sendRun(run)
  for (let run = 0; run < RUNS; run++) {
    const transcript = evidenceOf(run).entries[1]?.bytes ?? Buffer.alloc(0)
    const path = `/runs/run%20${run}/transcripts/${digestOf(transcript)}`
    await expect.poll(async () => (await spec.getJson<{ complete: boolean }>(path)).complete).toBe(true)
  }
  const before = await stored()
  const plain = Array.from({ length: RUNS }, (_, run) => evidenceOf(run).plain)
  expect(bytesIn(spec.dataDir, before.flatMap(piecesOf)).length).toBeGreaterThan(4 * LARGE)
  expect(bytesIn(spec.dataDir, plain.flat()).length).toBeGreaterThan(4 * LARGE)

  // Two are erased, of which one was deleted long before; two stay.
  await admin('DELETE', '/runs/run%201')
  for (const run of [0, 1]) {
    const body = JSON.stringify({ reference: 'T-1', run_id: `run ${run}` })
    expect((await admin('POST', '/erasures', { headers: json, body })).statusCode).toBe(200)
  }
  const left = await stored()
  const gone = before.filter((row) => !left.some((other) => other.equals(row)))
  expect(gone.length).toBeGreaterThan(2 * LARGE)
  // Compressed rows of two runs may have some bytes in common.
  const pieces = gone.flatMap(piecesOf).filter((piece) => !left.some((row) => row.includes(piece)))
  expect(pieces.length).toBeGreaterThan(2 * LARGE)
  expect(bytesIn(spec.dataDir, pieces).length).toBe(0)
  expect(bytesIn(spec.dataDir, plain.slice(0, 2).flat()).map(String)).toEqual([])
  expect((await verifyStore(spec, { parts: 'all' })).finding).toBeNull()
})
