import { z } from 'zod'
import { utf8 } from '../../domain/proof/bytes.ts'
import { openingText } from '../../domain/proof/opening.ts'
import { proofText } from '../../domain/proof/tlog-proof.ts'
import { streamOf } from '../../storage/log/event.ts'
import { findRecord, LogRecord, recordedOf } from '../../storage/log/records.ts'
import { mapped, maybeOne, sql } from '../../storage/sql.ts'
import type { Query, Reader } from '../../storage/storage.ts'
import type { Viewer } from '../access/viewer.ts'
import { listEvidence, numberOfEvidence } from '../evidence/evidence.ts'
import { findPlanSeq } from '../plans/plans.ts'
import { findRun } from '../runs/run.ts'
import { cosignedNote, type StoredCheckpoint, type StoredCosignature } from './checkpoints.ts'
import { inclusionPath, readHashes } from './tree.ts'

const base64 = z.string().meta({ contentEncoding: 'base64' })
const count = z.number().int()

/** An inclusion proof of RFC 6962 2.1.1 as JSON. Hashes are base64, `checkpoint` is the signed note. */
export const InclusionProof = z
  .object({ index: count, size: count, root: base64, leaf: base64, proof: z.array(base64), checkpoint: z.string() })
  .meta({ id: 'InclusionProof' })
export type InclusionProof = z.infer<typeof InclusionProof>

/** What a record's leaf is computed from. `salt` is lower-case hex, `recorded_at` epoch milliseconds. */
const Opening = z.object({
  body: z.string(),
  recorded_at: count,
  salt: z.string(),
  type: z.string(),
  v: z.literal(1),
})

/** A receipt as JSON. */
export const Receipt = InclusionProof.extend({ opening: Opening }).meta({ id: 'Receipt' })
export type Receipt = z.infer<typeof Receipt>

/** The checkpoint that a proof leads to, with the cosignatures that are shown. */
export type ProvingCheckpoint = Pick<StoredCheckpoint, 'size' | 'root' | 'note'> & {
  readonly cosignatures: ReadonlyArray<Pick<StoredCosignature, 'line'>>
}

/** A record whose body was not erased. */
export type OpenRecord = LogRecord & { readonly salt: Buffer; readonly body: string }

/** The record, or null if its body was erased. */
const asOpen = (record: LogRecord | null): OpenRecord | null => {
  if (!record || record.salt === null || record.body === null) return null
  return { ...record, salt: record.salt, body: record.body }
}

/**
 * The record of a number, of any run set; null if there is none. `record` is null if its body was erased. The routes check
 * who may read it.
 */
export const findAnyRecord = (seq: number): Query<{ readonly record: OpenRecord | null } | null> =>
  mapped(findRecord(seq), (found) => found && { record: asOpen(found) })

/** The newest upload of a run's stream whose body was not erased, or null. */
const findNewestUpload = (run_id: string): Query<LogRecord | null> =>
  maybeOne(sql.type(LogRecord)`
    SELECT e.seq, e.recorded_at, e.type, e.commitment, e.leaf, b.stream, b.version, b.salt, b.body
    FROM event_bodies b JOIN events e ON e.seq = b.seq
    WHERE b.stream = ${streamOf('run', run_id)} AND e.type = 'RunIngested' ORDER BY b.version DESC LIMIT 1`)

/**
 * The record of the upload of a run that the viewer can see. Null if there is no such run for the viewer; `record` is
 * null if its body was erased.
 */
export const findUpload = async (
  reader: Reader,
  viewer: Viewer,
  run_id: string,
): Promise<{ readonly record: OpenRecord | null } | null> => {
  const { run, newest } = await reader.readAll({ run: findRun(viewer, run_id), newest: findNewestUpload(run_id) })
  if (!run) return null
  const record = asOpen(newest)
  const data = record && (recordedOf(record)?.data as { readonly run_no: number } | undefined)
  // The run was deleted and uploaded again, and the body of the second upload was erased.
  return { record: data?.run_no === run.run_no ? record : null }
}

/**
 * The record that added evidence to a run that the viewer can see, by the number of the evidence; the upload is number 0. Null if there is no
 * such run or evidence for the viewer; `record` is null if its body was erased.
 */
export const findEvidenceRecord = async (
  reader: Reader,
  viewer: Viewer,
  run_id: string,
  n: number,
): Promise<{ readonly record: OpenRecord | null } | null> => {
  const run = await reader.read(findRun(viewer, run_id))
  const evidence = run ? await reader.read(listEvidence(run.run_no)) : []
  const item = evidence.find((_, i) => numberOfEvidence(evidence, i) === n)
  return item ? { record: asOpen(await reader.read(findRecord(item.seq))) } : null
}

/**
 * The record that registered a plan which the viewer can see. Null if there is no such plan for the viewer; `record` is
 * null if its body was erased.
 */
export const findRegistration = async (
  reader: Reader,
  viewer: Viewer,
  plan_id: string,
): Promise<{ readonly record: OpenRecord | null } | null> => {
  const seq = await reader.read(findPlanSeq(viewer, plan_id))
  return seq === null ? null : { record: asOpen(await reader.read(findRecord(seq))) }
}

const LabelRecord = z.object({ seq: count, closed_at: z.number().nullable() })

/**
 * The record of an own label, or of one that the account imported, and whether its queue is closed. Null for labels of others; `record` is
 * null if its body was erased.
 */
export const findLabelRecord = async (
  reader: Reader,
  user_id: string,
  label_id: string,
): Promise<{ readonly record: OpenRecord | null; readonly isClosed: boolean } | null> => {
  const found = await reader.read(
    maybeOne(sql.type(LabelRecord)`
      SELECT labels.seq, review_queues.closed_at FROM labels JOIN review_queues ON review_queues.queue_id = labels.queue_id
      WHERE labels.label_id = ${label_id}
        AND (labels.reviewer = ${user_id}
          OR (labels.imported IS NOT NULL
            AND EXISTS (SELECT 1 FROM event_bodies WHERE event_bodies.seq = labels.seq AND event_bodies.actor_user = ${user_id})))`),
  )
  if (!found) return null
  return { record: asOpen(await reader.read(findRecord(found.seq))), isClosed: found.closed_at !== null }
}

/**
 * Whether the viewer recorded an event: the same account, with any of its credentials, or the static token of the same id
 * and secret. `tokenStart` is the last record before that token had its secret; null for other viewers. Anonymous callers
 * and the command line never count as the same.
 */
export const isRecordedBy = ({ actor }: Viewer, record: OpenRecord, tokenStart: number | null): boolean => {
  const by = recordedOf(record)?.actor
  if (!by) return false
  if (by.user_id !== null) return by.user_id === actor.user_id
  const isSameToken = by.kind === 'static' && actor.kind === 'static' && by.credential_id === actor.credential_id
  return isSameToken && tokenStart !== null && record.seq > tokenStart
}

const checkpointNote = (checkpoint: ProvingCheckpoint): string => cosignedNote(checkpoint, checkpoint.cosignatures)

const openingOf = ({ body, recorded_at, salt, type }: OpenRecord): Receipt['opening'] => ({
  body,
  recorded_at,
  salt: salt.toString('hex'),
  type,
  v: 1,
})

/**
 * A proof of c2sp.org/tlog-proof for the leaf of an index, without `extra`. The checkpoint covers the index.
 */
export const inclusionText = async (reader: Reader, index: number, checkpoint: ProvingCheckpoint): Promise<string> =>
  proofText({
    extra: null,
    index,
    path: await inclusionPath(reader, index, checkpoint.size),
    checkpoint: checkpointNote(checkpoint),
  })

/** The same proof as JSON. */
export const inclusionJson = async (
  reader: Reader,
  index: number,
  checkpoint: ProvingCheckpoint,
): Promise<InclusionProof> => {
  const path = await inclusionPath(reader, index, checkpoint.size)
  const [leaf] = await readHashes(reader, 0, index, 1)
  if (!leaf) throw new Error(`the log has no leaf ${index}`)
  return {
    index,
    size: checkpoint.size,
    root: checkpoint.root.toString('base64'),
    leaf: leaf.toString('base64'),
    proof: path.map((hash) => hash.toString('base64')),
    checkpoint: checkpointNote(checkpoint),
  }
}

/**
 * The receipt of a record: a proof of c2sp.org/tlog-proof whose `extra` has what the leaf is computed from. It contains
 * the whole body, so only who may read that may have it. A permanent format.
 */
export const receiptText = async (reader: Reader, record: OpenRecord, checkpoint: ProvingCheckpoint): Promise<string> =>
  proofText({
    extra: utf8(openingText(openingOf(record))),
    index: record.seq - 1,
    path: await inclusionPath(reader, record.seq - 1, checkpoint.size),
    checkpoint: checkpointNote(checkpoint),
  })

/** The same receipt as JSON. */
export const receiptJson = async (
  reader: Reader,
  record: OpenRecord,
  checkpoint: ProvingCheckpoint,
): Promise<Receipt> => ({
  ...(await inclusionJson(reader, record.seq - 1, checkpoint)),
  opening: openingOf(record),
})
