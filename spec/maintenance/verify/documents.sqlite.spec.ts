import { zstdCompressSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { CLI } from '../../../queries/access/viewer.ts'
import { framesOf, LARGE_FRAMES, SMALL_FRAMES } from '../../../storage/documents/frames.ts'
import { aCase, aDocument } from '../../support/documents/documents.ts'
import { openFreshService, type FreshService } from '../../support/stores/open-fresh.ts'
import { verifyStore } from '../../support/stores/verified.ts'

/** Frames per read of the verification. */
const BATCH = 16

let opened: FreshService
beforeEach(async () => void (opened = await openFreshService()))
afterEach(() => opened.close())

const bytesOf = (run_id: string, filler: number): Buffer =>
  Buffer.from(JSON.stringify(aDocument({ run_id, cases: [aCase({ output: 'x'.repeat(filler) })] })))

const finding = async () => (await verifyStore(opened)).finding
const bytes = (raw: Buffer): string => {
  const hex = zstdCompressSync(raw).toString('hex')
  return `x'${hex}'`
}
const insert = (run_no: number, n: number, raw: Buffer = Buffer.alloc(0)): Promise<void> =>
  opened.sql.execute(
    `INSERT INTO document_frames (run_no, n, raw_length, bytes) VALUES (${run_no}, ${n}, ${raw.length}, ${bytes(raw)})`,
  )

describe.each([
  ['small', SMALL_FRAMES],
  ['large', LARGE_FRAMES],
])('documents in %s frames', (_, cut) => {
  const { first, frame: FRAME_BYTES } = cut

  /** Ingests a document of this number of full frames and bytes beyond them. Run numbers count from 1. */
  const ingest = async (frames: number, beyond = 0): Promise<void> => {
    const run_id = `run-${frames}-${beyond}`
    const body = bytesOf(run_id, frames * FRAME_BYTES + beyond - bytesOf(run_id, 0).length)
    expect(body.length).toBe(frames * FRAME_BYTES + beyond)
    await opened.service.commit.ingestRun(CLI, { body: new Uint8Array(body), encoding: null })
    if (cut === SMALL_FRAMES) return
    // As an earlier version stored it.
    const [run_no = 0] = (await opened.sql.column('SELECT max(run_no) FROM runs')) as number[]
    await opened.sql.execute(`DELETE FROM document_frames WHERE run_no = ${run_no}`)
    for (const { n, raw_length, bytes: compressed } of framesOf(body, cut))
      await opened.sql.execute(
        `INSERT INTO document_frames (run_no, n, raw_length, bytes) VALUES (${run_no}, ${n}, ${raw_length}, x'${compressed.toString('hex')}')`,
      )
  }

  it('documents of any number of frames are valid', async () => {
    for (const [frames, beyond] of [
      [0, 4000],
      [1, 0],
      [1, 1],
      [BATCH - 1, 0],
      [BATCH, 0],
      [BATCH, 1],
      [2 * BATCH, 0],
    ] as const)
      await ingest(frames, beyond)
    expect(await verifyStore(opened)).toMatchObject({ finding: null, documents: 7 })
  })

  // The last frame of a document is the last of a batch, the first of one, or in the middle.
  it.each([0, 1, BATCH - 1, BATCH, 2 * BATCH])(
    'a foreign frame in a document of %i frames and a byte is reported as altered',
    async (full) => {
      await ingest(full, full === 0 ? 4000 : 1)
      const count = full + 1
      for (const n of [-1, count, BATCH - 1, BATCH, 2 * BATCH - 1, 2 * BATCH, 77, 2 ** 40]
        .map((each) => first + each)
        .filter((each) => each < first || each >= first + count)) {
        // An empty frame changes neither the length nor the digest of the document.
        for (const raw of [Buffer.alloc(0), Buffer.from('more')]) {
          await insert(1, n, raw)
          expect(await finding()).toEqual({
            kind: 'altered',
            message: expect.stringMatching(
              new RegExp(
                `^record 1 \\(run/run-\\d+-\\d+\\): frame ${n} is not part of its document, whose number of frames is ${n < first ? '\\d+' : count}$`,
              ),
            ) as string,
          })
          await opened.sql.execute(`DELETE FROM document_frames WHERE n = ${n}`)
        }
      }
      expect(await finding()).toBeNull()
    },
  )

  it.each([BATCH - 1, BATCH, BATCH + 1, 2 * BATCH])(
    'a missing frame %i of a larger document is reported',
    async (n) => {
      await ingest(2 * BATCH, 1)
      await opened.sql.execute(`DELETE FROM document_frames WHERE n = ${first + n}`)
      const part = n === 2 * BATCH ? 'the end of its document' : `frame ${first + n} of its document`
      expect(await finding()).toEqual({
        kind: 'missing',
        message: `record 1 (run/run-${2 * BATCH}-1): ${part} is missing`,
      })
    },
  )

  it('the same bytes in frames of other lengths are reported as altered', async () => {
    await ingest(1, 4000)
    const whole = bytesOf('run-1-4000', FRAME_BYTES + 4000 - bytesOf('run-1-4000', 0).length)
    await opened.sql.execute('DELETE FROM document_frames')
    await insert(1, first, whole.subarray(0, 4000))
    await insert(1, first + 1, whole.subarray(4000))
    expect(await finding()).toEqual({
      kind: 'altered',
      message: `record 1 (run/run-1-4000): frame ${first} of its document does not hold the bytes that belong in it`,
    })
  })

  it.each([-1, 0, 3, 4, 1_000_000])(
    'a frame with the run number %i, which no stored run has, is reported as altered',
    async (run_no) => {
      for (const beyond of [1, 2, 3]) await ingest(0, 4000 + beyond)
      await opened.service.commit.deleteRun(CLI, { run_id: 'run-0-4003' })
      expect(await finding()).toBeNull()
      await insert(run_no, first)
      expect(await finding()).toEqual({ kind: 'altered', message: `document ${run_no} exists, but no record names it` })
    },
  )
})
