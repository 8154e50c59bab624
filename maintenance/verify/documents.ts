import { createHash } from 'node:crypto'
import { z } from 'zod'
import { cutOfFrame, listFramesAfter, rawFrame, type Cut, type Frame } from '../../storage/documents/frames.ts'
import { any, sql } from '../../storage/sql.ts'
import { ask, type Steps } from '../../storage/commit/steps.ts'
import { VerificationFailed } from './finding.ts'

/** A document that the log expects: its record, stream, digest and length. */
export type Document = {
  readonly seq: number
  readonly stream: string
  readonly sha256: string
  readonly bytes: number
}

/** Frames per read: a document may have hundreds. */
const FRAMES_PER_READ = 16

/**
 * Verifies all frames of one document. Returns false if it has none but was moved into objects. They must be numbered from the first number of their cut without a gap, with none
 * beyond the last. Each must have the length that range reads expect. Together they must be the recorded bytes.
 */
export function* checkDocument(
  run_no: number,
  { seq, stream, sha256, bytes }: Document,
  isMoved: boolean,
): Steps<boolean> {
  const record = `record ${seq} (${stream})`
  const hash = createHash('sha256')
  let cut: Cut | null = null
  let n = 0
  let length = 0
  let misplaced: number | null = null
  for (let after: number | null = null; ;) {
    const frames: Frame[] = yield* ask(listFramesAfter(run_no, after, FRAMES_PER_READ))
    for (const frame of frames) {
      // The first frame shows how the document is cut.
      cut ??= cutOfFrame(frame.n)
      const expected = Math.max(1, Math.ceil(bytes / cut.frame))
      if (frame.n < cut.first || frame.n >= cut.first + expected)
        throw new VerificationFailed(
          'altered',
          `${record}: frame ${frame.n} is not part of its document, whose number of frames is ${expected}`,
        )
      if (frame.n !== cut.first + n)
        throw new VerificationFailed('missing', `${record}: frame ${cut.first + n} of its document is missing`)
      const raw = unpacked(frame, seq, stream)
      if (raw.length !== Math.min(cut.frame, bytes - length)) misplaced ??= frame.n
      hash.update(raw)
      length += raw.length
      n++
    }
    after = frames.at(-1)?.n ?? null
    if (frames.length < FRAMES_PER_READ) break
  }
  if (n === 0 && isMoved) return false
  if (n > 0 && isMoved) throw new VerificationFailed('altered', `${record}: its document is stored in two ways`)
  if (n === 0)
    throw new VerificationFailed('missing', `${record}: its document is missing, and no deletion is recorded`)
  if (length < bytes) throw new VerificationFailed('missing', `${record}: the end of its document is missing`)
  if (hash.digest('hex') !== sha256)
    throw new VerificationFailed('altered', `${record}: its document does not have the digest that was recorded`)
  if (misplaced !== null)
    throw new VerificationFailed(
      'altered',
      `${record}: frame ${misplaced} of its document does not hold the bytes that belong in it`,
    )
  return true
}

const unpacked = (frame: Frame, seq: number, stream: string): Buffer => {
  try {
    return rawFrame(frame)
  } catch {
    throw new VerificationFailed(
      'altered',
      `record ${seq} (${stream}): frame ${frame.n} of its document cannot be unpacked`,
    )
  }
}

const Numbered = z.object({ n: z.number() })

/** Documents per read. */
const DOCUMENTS_PER_READ = 10_000

const listDocuments = (after: number | null) =>
  any(sql.type(Numbered)`
    SELECT DISTINCT run_no AS n FROM document_frames ${after === null ? sql.fragment`` : sql.fragment`WHERE run_no > ${after}`}
    ORDER BY run_no LIMIT ${DOCUMENTS_PER_READ}`)

/** Throws `VerificationFailed` if a stored document is not in the log. */
export function* checkStrays(documents: { readonly has: (run_no: number) => boolean }): Steps<void> {
  for (let after: number | null = null; ;) {
    const found: Array<{ readonly n: number }> = yield* ask(listDocuments(after))
    for (const { n } of found)
      if (!documents.has(n)) throw new VerificationFailed('altered', `document ${n} exists, but no record names it`)
    if (found.length < DOCUMENTS_PER_READ) return
    after = found.at(-1)?.n ?? null
  }
}
