import { createHash, hash, randomInt } from 'node:crypto'
import { z } from 'zod'
import { InvalidManifest, partsOf, readManifest } from '../../domain/evidence/manifest.ts'
import { rawFrame } from '../../storage/documents/frames.ts'
import { objectFileBytes } from '../../storage/objects/file-store.ts'
import { objectReader } from '../../storage/objects/read-object.ts'
import { readPart } from '../../storage/objects/read-part.ts'
import {
  countObjectsIn,
  findPartOfRun,
  listKnownObjects,
  listPartFrames,
  listPartPieces,
  type PartPiece,
} from '../../storage/objects/rows.ts'
import { CHUNK_BYTES, ObjectDamaged } from '../../storage/objects/seal.ts'
import { any, maybeOne, one, sql } from '../../storage/sql.ts'
import type { Query } from '../../storage/storage.ts'
import { listStrays, type PartFiles } from '../parts/strays.ts'
import { checkBucketList, type PartBucket } from './bucket.ts'
import { VerificationFailed } from './finding.ts'
import { sampledShare, samplerOf } from './part-sample.ts'
import { hasTable } from './stored-tables.ts'

/** How much of the parts is read: of some the content, of all of them, or of none. Their presence is always checked. */
export const PART_CHECKS = ['sample', 'all', 'none'] as const
export type PartCheck = (typeof PART_CHECKS)[number]

/** A manifest that the log expects. */
export type ExpectedManifest = {
  readonly seq: number
  readonly stream: string
  readonly run_no: number
  readonly sha256: string
  readonly bytes: number
  /** The set of the run. */
  readonly project: string | null
  readonly suite: string | null
}

type Read = <T>(query: Query<T>) => Promise<T>

type Source = { readonly read: Read; readonly files: PartFiles | null; readonly bucket: PartBucket | null }

const RunPart = z.object({
  sha256: z.string(),
  part_no: z.number(),
  bytes: z.number().nullable(),
  project: z.string().nullable(),
  suite: z.string().nullable(),
})

const listRunParts = (run_no: number): Query<z.infer<typeof RunPart>[]> =>
  any(sql.type(RunPart)`
    SELECT run_parts.sha256, run_parts.part_no, parts.bytes, part_sets.project, part_sets.suite
    FROM run_parts LEFT JOIN parts ON parts.part_no = run_parts.part_no AND parts.sha256 = run_parts.sha256
      LEFT JOIN part_sets ON part_sets.set_no = abs(run_parts.set_no)
    WHERE run_parts.run_no = ${run_no} ORDER BY run_parts.sha256`)

const Count = z.object({ n: z.number() })
const countParts = one(sql.type(Count)`SELECT count(*) AS n FROM run_parts`)

/** A run that has parts after a number. */
const findRunAfter = (after: number) =>
  maybeOne(sql.type(Count)`SELECT run_no AS n FROM run_parts WHERE run_no > ${after} ORDER BY run_no LIMIT 1`)

const Stored = z.object({ state: z.string(), rows: z.number(), bytes: z.number() })
const findObject = (object_id: string) =>
  maybeOne(sql.type(Stored)`
    SELECT objects.state, count(object_rows.n) AS rows, coalesce(sum(length(object_rows.bytes)), 0) AS bytes
    FROM objects LEFT JOIN object_rows ON object_rows.object_id = objects.object_id
    WHERE objects.object_id = ${object_id} GROUP BY objects.state`)

/** The number of parts that were checked, and sentences about what a sample finds and about files of no part. */
export type CheckedParts = { readonly parts: number; readonly notes: readonly string[] }

/**
 * Checks the evidence of all runs: each manifest is the one that was recorded, every part that it names is there with its length, no other is,
 * and the content of some or all parts has its digest. The seed decides which a sample reads. Throws `VerificationFailed`.
 */
export const checkParts = async (
  source: Source,
  expected: ReadonlyMap<number, readonly ExpectedManifest[]>,
  check: PartCheck,
  seed = String(randomInt(2 ** 47)),
): Promise<CheckedParts> => {
  const { read, files, bucket } = source
  // A store of an early version has no parts.
  if (!(await read(hasTable('run_parts')))) return { parts: 0, notes: [] }
  const { n: total } = await read(countParts)
  const share = check === 'all' ? 1 : check === 'none' ? 0 : sampledShare(total)
  const isRead = samplerOf(seed, share)
  let sampled = 0
  // Before contents are read, so that what is missing is not taken for altered.
  const strayObjects = await checkBucketList(read, bucket)
  for (const [run_no, manifests] of expected) {
    const listed = new Map<string, number>()
    for (const manifest of manifests) {
      listed.set(manifest.sha256, manifest.bytes)
      for (const [sha256, bytes] of await manifestParts(read, manifest)) listed.set(sha256, bytes)
    }
    const [first] = manifests
    const about = first ? `record ${first.seq} (${first.stream})` : `run ${run_no}`
    for (const { sha256, part_no, bytes, project, suite } of await read(listRunParts(run_no))) {
      const recorded = listed.get(sha256)
      if (recorded === undefined)
        throw new VerificationFailed(
          'altered',
          `${about}: part ${sha256} is stored, but no manifest of the run names it`,
        )
      listed.delete(sha256)
      // Who may name it depends on the set.
      if (first && (project !== first.project || suite !== first.suite))
        throw new VerificationFailed('altered', `${about}: part ${sha256} is filed under another set`)
      if (bytes !== recorded)
        throw new VerificationFailed(
          bytes === null ? 'missing' : 'altered',
          `${about}: part ${sha256} ${bytes === null ? 'is missing' : `has ${bytes} bytes, not ${recorded}`}`,
        )
      await checkPresence(source, { sha256, part_no, bytes }, about)
      if (!isRead(run_no, sha256)) continue
      if (!(await checkContent(source, { sha256, part_no, bytes }, about))) continue
      sampled++
    }
    for (const [sha256] of listed) throw new VerificationFailed('missing', `${about}: part ${sha256} is missing`)
  }
  for (let after = -1; ;) {
    const found: { readonly n: number } | null = await read(findRunAfter(after))
    if (found === null) break
    if (!expected.has(found.n))
      throw new VerificationFailed('altered', `run ${found.n} has parts, but no record names them`)
    after = found.n
  }
  const notes = [
    noteOf(total, sampled, check === 'sample' && share < 1 ? seed : null),
    files && strayNote(await countStrays(files)),
    bucketNote(strayObjects),
    bucket === 'unchecked' ? uncheckedNote(await read(countObjectsIn('s3'))) : null,
  ]
  return { parts: total, notes: notes.filter((note) => note !== null) }
}

const countStrays = async (files: PartFiles): Promise<number> => {
  let strays = 0
  for await (const _ of listStrays(files)) strays++
  return strays
}

const strayNote = (strays: number): string | null =>
  strays === 0
    ? null
    : `${strays} ${strays === 1 ? 'file' : 'files'} of the folder parts ${strays === 1 ? 'is' : 'are'} of no part that this store knows, and can be read by no one: "ers parts sweep --strays" removes those that are older than 7 days`

const bucketNote = (strays: number): string | null =>
  strays === 0
    ? null
    : `${strays} ${strays === 1 ? 'object' : 'objects'} of the bucket ${strays === 1 ? 'is' : 'are'} of no part that this store knows, and can be read by no one: "ers parts sweep --strays" removes those that are older than 7 days`

const uncheckedNote = (count: number): string | null =>
  count === 0
    ? null
    : `not checked: ${count} ${count === 1 ? 'object' : 'objects'} of parts in a bucket, which SERVICE_OBJECT_STORE_URL does not name`

const noteOf = (total: number, sampled: number, seed: string | null): string | null => {
  if (total === 0 || seed === null) return null
  const odds = ((sampled / total) * 100).toFixed(1)
  return `the content of ${sampled} of ${total} parts was read (seed ${seed}): one altered part is found with ${odds} %, k of them with 1 − (1 − k/${total})^${sampled}; --parts all reads everything`
}

/** The parts of a manifest with their bytes. Its own bytes must be those that were recorded. */
const manifestParts = async (
  read: Read,
  { seq, stream, run_no, sha256, bytes }: ExpectedManifest,
): Promise<ReadonlyMap<string, number>> => {
  const about = `record ${seq} (${stream})`
  const part_no = await read(findPartOfRun(run_no, sha256))
  if (part_no === null) throw new VerificationFailed('missing', `${about}: its manifest ${sha256} is missing`)
  const frames = await read(listPartFrames(part_no))
  if (frames.length === 0) throw new VerificationFailed('missing', `${about}: its manifest ${sha256} has no bytes`)
  let stored: Buffer
  try {
    stored = Buffer.concat(frames.map(rawFrame))
  } catch {
    throw new VerificationFailed('altered', `${about}: its manifest ${sha256} cannot be unpacked`)
  }
  if (stored.length !== bytes || hash('sha256', stored, 'hex') !== sha256)
    throw new VerificationFailed('altered', `${about}: its manifest is not the one that was recorded`)
  try {
    return partsOf(readManifest(stored))
  } catch (error) {
    if (!(error instanceof InvalidManifest)) throw error
    throw new VerificationFailed('altered', `${about}: its manifest cannot be read: ${error.message}`)
  }
}

/** Whether objects outside of the database were removed while the store was read: their run was deleted since. */
const isGoneSince = async (
  { files, bucket }: Pick<Source, 'files' | 'bucket'>,
  pieces: readonly PartPiece[],
): Promise<boolean> => {
  const outside = pieces.filter(({ place }) => place !== 'table')
  const readNow = files?.readNow ?? (bucket === null || bucket === 'unchecked' ? null : bucket.readNow)
  if (readNow === null || outside.length === 0) return false
  const known = await readNow(listKnownObjects(outside.map(({ object_id }) => object_id)))
  return outside.some(({ object_id }) => known.get(object_id) !== 'stored')
}

type Part = { readonly sha256: string; readonly part_no: number; readonly bytes: number }

/** Checks that all bytes of a part are there, by their lengths. */
const checkPresence = async (
  { read, files, bucket }: Source,
  { sha256, part_no, bytes }: Part,
  about: string,
): Promise<void> => {
  const frames = await read(listPartFrames(part_no))
  const pieces = await read(listPartPieces(part_no))
  const missing = (what: string): VerificationFailed =>
    new VerificationFailed('missing', `${about}: ${what} of part ${sha256} is missing`)
  const raw =
    frames.reduce((sum, { raw_length }) => sum + raw_length, 0) + pieces.reduce((sum, piece) => sum + piece.bytes, 0)
  if (frames.length > 0 && pieces.length > 0)
    throw new VerificationFailed('altered', `${about}: part ${sha256} is stored in two ways`)
  if (raw !== bytes || frames.length + pieces.length === 0) throw missing('a piece')
  for (const piece of pieces) {
    const { object_id, key, lengths, bytes: pieceBytes } = piece
    const sealed = lengths.reduce((sum, length) => sum + length, 0)
    const row = await read(findObject(object_id))
    if (row === null || key === null) throw missing(`object ${object_id}`)
    const inFile = files && piece.place === 'files' ? await objectFileBytes(files.folder, object_id) : null
    // Those of a bucket are compared with its list.
    const object = { ...row, bytes: inFile ?? (piece.place === 's3' ? sealed : row.bytes) }
    const isLong = lengths.length === Math.ceil(((piece.offset ?? 0) + pieceBytes) / CHUNK_BYTES)
    const isOfRun = piece.offset !== null && lengths.length * CHUNK_BYTES >= piece.offset + pieceBytes
    if (object.state !== 'stored' || !(isLong || isOfRun))
      throw new VerificationFailed('altered', `${about}: the row of object ${object_id} is not the one that was stored`)
    if (object.bytes !== sealed && !(await isGoneSince({ files, bucket }, [piece])))
      throw new VerificationFailed(
        object.bytes < sealed ? 'missing' : 'altered',
        `${about}: object ${object_id} has ${object.bytes} bytes, not ${sealed}`,
      )
  }
}

/** Checks the digest of a part. Returns whether it was read: one of a bucket that is not checked is not. */
const checkContent = async (
  { read, files, bucket }: Source,
  { sha256, part_no, bytes }: Part,
  about: string,
): Promise<boolean> => {
  const digest = createHash('sha256')
  const pieces = bucket === 'unchecked' ? await read(listPartPieces(part_no)) : []
  if (pieces.some(({ place }) => place === 's3')) return false
  try {
    const s3 = bucket === null || bucket === 'unchecked' ? null : bucket.store
    const readObject = objectReader({ read, partsFolder: files?.folder ?? null, s3 })
    for await (const raw of readPart(read, readObject, part_no, 0, bytes)) digest.update(raw)
  } catch (error) {
    if (!(error instanceof ObjectDamaged)) throw error
    if (await isGoneSince({ files, bucket }, await read(listPartPieces(part_no)))) return true
    throw new VerificationFailed('altered', `${about}: part ${sha256}: ${error.message}`)
  }
  if (digest.digest('hex') !== sha256)
    throw new VerificationFailed('altered', `${about}: part ${sha256} does not have its digest`)
  return true
}
