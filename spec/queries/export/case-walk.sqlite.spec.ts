import { afterAll, describe, expect, it } from 'vitest'
import { findRun } from '../../../queries/runs/run.ts'
import { READ_AHEAD_BYTES, readBatch, WALK_START } from '../../../queries/export/case-walk.ts'
import { documentReader } from '../../../queries/runs/documents.ts'
import { SMALL_FRAMES } from '../../../storage/documents/frames.ts'
import type { Reader } from '../../../storage/storage.ts'
import { admin } from '../../support/access/viewers.ts'
import { aCase, aDocument } from '../../support/documents/documents.ts'
import { openApp } from '../../support/servers/app.ts'
import { NO_OBJECTS } from '../../support/documents/no-objects.ts'

afterAll(() => spec.close())

const BATCH = { maxCases: 500, maxBytes: 256 * 1024 }

/** Uploads cases of providers that take turns, and walks over them. Returns the cases in order, and the frames that were read. */
const walk = async (
  run_id: string,
  order: 'document' | 'provider',
  providers: number,
  count: number,
  output: number,
) => {
  const cases = Array.from({ length: count }, (_, n) =>
    aCase({ cell: { provider_id: `p${n % providers}`, test_id: `t${n}` }, output: 'x'.repeat(output) }),
  )
  const answer = await spec.ingest(aDocument({ run_id, cases }))
  expect(answer.statusCode, answer.body).toBe(201)
  const { reader } = spec.service
  let frames = 0
  const read: Reader['read'] = async (query) => {
    if (query.token?.sql.includes('FROM document_frames')) frames++
    return reader.read(query)
  }
  const counted = { ...reader, read }
  // A cache that has no part of the document when it is needed again.
  const documents = documentReader(counted, NO_OBJECTS, 1)
  const run = await reader.read(findRun(admin, run_id))
  if (!run) throw new Error('no run')
  const walked: Array<{ readonly n: number; readonly text: string }> = []
  let from = WALK_START
  let largest = 0
  for (;;) {
    const batch = await readBatch(counted, documents, run, { order, batch: BATCH }, from)
    if (!batch) break
    for (const { n, bytes } of batch.cases) walked.push({ n, text: Buffer.from(bytes).toString() })
    expect(batch.cases.length).toBeLessThanOrEqual(BATCH.maxCases)
    from = batch.next
    largest = Math.max(largest, from.ahead.byteLength)
  }
  return { walked, frames, largest, documentFrames: Math.ceil(run.document_bytes / SMALL_FRAMES.frame), cases }
}
const spec = await openApp()

describe('a walk in the order of providers', () => {
  it('reads a document once for many providers, not once for each of them', async () => {
    const { walked, frames, documentFrames, cases } = await walk('scattered', 'provider', 100, 4_000, 1_000)
    const expected = cases
      .map((item, n) => ({ n, provider: item.cell.provider_id, text: JSON.stringify(item) }))
      .toSorted((a, b) => (a.provider < b.provider ? -1 : a.provider > b.provider ? 1 : a.n - b.n))
    expect(walked).toEqual(expected.map(({ n, text }) => ({ n, text })))
    expect(documentFrames).toBeGreaterThan(16)
    // The first batch reads what it needs, the others two mebibytes each.
    expect(frames).toBeLessThanOrEqual(5 * documentFrames)
  })

  it('holds a bounded number of bytes, and no case that is larger', async () => {
    const { walked, largest } = await walk('large', 'provider', 2, 6, 1_500_000)
    expect(walked.map(({ n }) => n)).toEqual([0, 2, 4, 1, 3, 5])
    expect(largest).toBeLessThanOrEqual(READ_AHEAD_BYTES)
  })

  it('gives the same cases as one in the order of the document', async () => {
    const { walked } = await walk('document', 'document', 7, 50, 10)
    expect((await walk('provider', 'provider', 7, 50, 10)).walked.toSorted((a, b) => a.n - b.n)).toEqual(walked)
  })
})
