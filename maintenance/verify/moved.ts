import { createHash } from 'node:crypto'
import { objectReader } from '../../storage/objects/read-object.ts'
import type { ReadObject } from '../../storage/objects/object-store.ts'
import { listKnownObjects } from '../../storage/objects/rows.ts'
import { documentBytesOf, listMovedRuns, movedBytes, type DocumentPiece } from '../../storage/objects/run-objects.ts'
import { ObjectDamaged } from '../../storage/objects/seal.ts'
import type { Query } from '../../storage/storage.ts'
import type { PartFiles } from '../parts/strays.ts'
import type { PartBucket } from './bucket.ts'
import type { Document } from './documents.ts'
import { VerificationFailed } from './finding.ts'

type Source = {
  readonly read: <T>(query: Query<T>) => Promise<T>
  readonly files: PartFiles | null
  readonly bucket: PartBucket | null
}

/** Reads the objects of a store that is verified. */
export const objectsOf = ({ read, files, bucket }: Source): ReadObject =>
  objectReader({
    read,
    partsFolder: files?.folder ?? null,
    s3: bucket === null || bucket === 'unchecked' ? null : bucket.store,
  })

/** Whether objects were dropped while the store was read: their run was deleted, or moved back, since. */
const isGoneSince = async ({ files, bucket }: Source, pieces: readonly DocumentPiece[]): Promise<boolean> => {
  const readNow = files?.readNow ?? (bucket === null || bucket === 'unchecked' ? null : bucket.readNow)
  if (readNow === null) return false
  const known = await readNow(listKnownObjects(pieces.map(({ object_id }) => object_id)))
  return pieces.some(({ object_id }) => known.get(object_id) !== 'stored')
}

/**
 * Verifies a document that was moved into objects: together they have the recorded bytes. Without a bucket, it cannot be read. One that was deleted or
 * moved back since the snapshot is not looked at. Throws `VerificationFailed`, and `ObjectsUnavailable` if the bucket is away.
 */
export const checkMovedDocument = async (
  source: Source,
  pieces: readonly DocumentPiece[],
  { seq, stream, sha256, bytes }: Document,
): Promise<void> => {
  const record = `record ${seq} (${stream})`
  if (documentBytesOf(pieces) !== bytes)
    throw new VerificationFailed(
      documentBytesOf(pieces) < bytes ? 'missing' : 'altered',
      `${record}: the objects of its document have ${documentBytesOf(pieces)} bytes of it, not ${bytes}`,
    )
  const isInBucket = pieces.some(({ place }) => place === 's3')
  if (source.bucket === 'unchecked' && isInBucket) return
  if (source.bucket === null && isInBucket)
    throw new VerificationFailed(
      'unreadable',
      `${record}: its document is in a bucket: set SERVICE_OBJECT_STORE_URL to it, as for the service`,
    )
  const hash = createHash('sha256')
  try {
    for await (const raw of movedBytes(pieces, 0, bytes, objectsOf(source))) hash.update(raw)
  } catch (error) {
    if (!(error instanceof ObjectDamaged)) throw error
    if (await isGoneSince(source, pieces)) return
    throw new VerificationFailed(
      /is missing$|lacks bytes/.test(error.message) || pieces.some(({ key }) => key === null) ? 'missing' : 'altered',
      `${record}: its document: ${error.message}`,
    )
  }
  if (hash.digest('hex') !== sha256)
    throw new VerificationFailed('altered', `${record}: its document does not have the digest that was recorded`)
}

const RUNS_PER_READ = 10_000

/** Throws `VerificationFailed` if a moved document is of no record. */
export const checkMovedStrays = async (
  { read }: Pick<Source, 'read'>,
  documents: { readonly has: (run_no: number) => boolean },
): Promise<void> => {
  for (let from = Number.MIN_SAFE_INTEGER; ;) {
    const found = await read(listMovedRuns(from, RUNS_PER_READ))
    for (const run_no of found)
      if (!documents.has(run_no))
        throw new VerificationFailed('altered', `document ${run_no} is in objects, but no record names it`)
    const last = found.at(-1)
    if (last === undefined || found.length < RUNS_PER_READ) return
    from = last + 1
  }
}
