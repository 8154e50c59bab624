import { z } from 'zod'
import { maybeOne, sql } from '../../storage/sql.ts'
import type { Query, Reader } from '../../storage/storage.ts'
import type { Viewer } from '../access/viewer.ts'
import { visible } from '../access/visible.ts'
import { OUTLINE_VERSION } from '../../domain/transcript/outline.ts'
import { readPart } from '../../storage/objects/read-part.ts'
import { ObjectDamaged, release } from '../../storage/objects/seal.ts'
import type { ReadObject } from '../../storage/objects/object-store.ts'
import type { OutlineKey } from '../../storage/objects/outlines.ts'

// The transcripts of runs. None is read without a run that the viewer can see and whose manifest lists it as one.

/** Which transcript. */
export type TranscriptName = { readonly run_id: string; readonly sha256: string }

const TranscriptRow = z.object({ part_no: z.number(), bytes: z.number() })
export type StoredTranscript = z.infer<typeof TranscriptRow>

/** The stored copy of a transcript of a run that the viewer can see, or null. */
export const findTranscript = (viewer: Viewer, { run_id, sha256 }: TranscriptName): Query<StoredTranscript | null> =>
  maybeOne(sql.type(TranscriptRow)`
    SELECT run_parts.part_no, parts.bytes
    FROM runs JOIN run_parts ON run_parts.run_no = runs.run_no JOIN parts ON parts.part_no = run_parts.part_no
    WHERE runs.id = ${run_id} AND run_parts.sha256 = ${sha256} AND ${visible(viewer, 'runs')}
      AND EXISTS (
        SELECT 1 FROM case_parts
        WHERE case_parts.run_no = runs.run_no AND case_parts.sha256 = run_parts.sha256 AND case_parts.role = 'transcript')`)

/** Reads a transcript; null if it was deleted while it was read, whose bytes are then missing. */
export const unlessDeleted = async <T>(
  { reader }: Pick<PartSource, 'reader'>,
  viewer: Viewer,
  name: TranscriptName,
  work: () => Promise<T>,
): Promise<T | null> => {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof ObjectDamaged) || (await reader.read(findTranscript(viewer, name)))) throw error
    return null
  }
}

/** The outline of a stored transcript. */
export const outlineOf = ({ part_no }: StoredTranscript): OutlineKey => ({ part_no, version: OUTLINE_VERSION })

/** What reads transcripts: the rows, and the bytes of large parts. */
export type PartSource = { readonly reader: Reader; readonly readObject: ReadObject }

/** The bytes of a transcript from one offset to another. The memory of a chunk is freed when the next one is asked for. */
export async function* transcriptBytes(
  { reader: { read }, readObject }: PartSource,
  { part_no }: StoredTranscript,
  from: number,
  to: number,
): AsyncGenerator<Buffer> {
  for await (const chunk of readPart(read, readObject, part_no, from, to)) {
    yield chunk
    release(chunk)
  }
}
