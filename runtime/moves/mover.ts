import { createHash, type Hash } from 'node:crypto'
import PQueue from 'p-queue'
import type { Commit } from '../../commands/commit.ts'
import { MOVE_LEASE_MS, type MovedPiece, type WrittenRun } from '../../commands/move/move-documents.ts'
import { SYSTEM } from '../../queries/access/viewer.ts'
import {
  listClaimable,
  listMovedParts,
  listRunsToMove,
  listSmallParts,
  type RunToMove,
  type SmallPart,
} from '../../queries/runs/moves.ts'
import { joinFrames, listFramesAfter, rawFrameAsync, type Frame } from '../../storage/documents/frames.ts'
import { ObjectsUnavailable } from '../../storage/errors.ts'
import { readPart } from '../../storage/objects/read-part.ts'
import { objectReader } from '../../storage/objects/read-object.ts'
import { listPartFrames } from '../../storage/objects/rows.ts'
import {
  listDocumentPieces,
  MAX_RUN_OBJECT_BYTES,
  movedBytes,
  documentBytesOf,
} from '../../storage/objects/run-objects.ts'
import { newObjectId, newObjectKey, ObjectDamaged, sealObject } from '../../storage/objects/seal.ts'
import type { S3Store } from '../../storage/objects/s3/store.ts'
import type { Reader } from '../../storage/storage.ts'
import type { PartStore } from '../evidence/part-store.ts'

/** Steps of a move: for specs that end the process there. */
export type MoveStep = 'claimed' | 'begun' | 'stored' | 'read back' | 'ended'

type Parts = {
  /** Must read the primary: a move is no record, so a standby may not have it although it has the log. */
  readonly reader: Pick<Reader, 'read'>
  readonly commit: Commit
  readonly now: () => number
  /** Names this process to other replicas. */
  readonly holder: string
  readonly bucket: S3Store
  readonly partStore: Pick<PartStore, 'dropObjects' | 'removeObjects'>
  readonly observe?: (step: MoveStep) => void
}

/** Runs that one commit claims, and one moves. */
const RUNS_PER_BATCH = 64
/** Runs that are written at the same time, unless their documents are large: then one after another. */
const CONCURRENT_RUNS = 16
const LARGE_BYTES = MAX_RUN_OBJECT_BYTES / CONCURRENT_RUNS
const FRAMES_PER_READ = 16
/** A run whose document cannot be read is tried again after this time. */
const POSTPONED_MS = 3_600_000
const RENEW_MS = MOVE_LEASE_MS / 3

/** What was moved, what was moved by another replica or deleted meanwhile, and why some were not. */
type Moves = {
  readonly moved: number
  readonly lost: number
  readonly failed: ReadonlyArray<{ readonly run_no: number; readonly error: unknown }>
}

export type Mover = {
  /** Moves a batch of the runs that wait. Null if none does. Throws `Unavailable` if the bucket or the store is away. */
  readonly moveWaiting: (signal: AbortSignal) => Promise<Moves | null>
  /** Moves some runs into objects. */
  readonly moveRuns: (runs: readonly RunToMove[], signal: AbortSignal) => Promise<Moves>
  /** Moves a run back into the database. Returns false if it is not in objects any more. */
  readonly returnRun: (run: RunToMove) => Promise<boolean>
}

/** A stored document or part does not have the digest that was recorded: it stays where it is. */
class NotAsRecorded extends Error {
  override readonly name = 'NotAsRecorded'
}

/** Moves documents, with the small parts of their runs, from the database into objects of a bucket and back. */
export const openMover = ({ reader, commit, now, holder, bucket, partStore, observe = () => {} }: Parts): Mover => {
  const { read } = reader
  const readObject = objectReader({ read, s3: bucket })

  /** The raw bytes of the frames of a run, in order: its document, then its small parts. */
  async function* framedBytes(
    { run_no, document_bytes, document_sha256 }: RunToMove,
    parts: readonly SmallPart[],
  ): AsyncGenerator<{ readonly raw: Buffer; readonly part_no: number | null }> {
    const digest = createHash('sha256')
    let bytes = 0
    for (let after: number | null = null; ;) {
      const frames: Frame[] = await read(listFramesAfter(run_no, after, FRAMES_PER_READ))
      for (const frame of joinFrames(frames)) {
        const raw = await rawFrameAsync(frame)
        digest.update(raw)
        bytes += raw.length
        yield { raw, part_no: null }
      }
      after = frames.at(-1)?.n ?? null
      if (after === null || frames.length < FRAMES_PER_READ) break
    }
    if (bytes === 0) throw new RunGone()
    if (bytes !== document_bytes || digest.digest('hex') !== document_sha256)
      throw new NotAsRecorded(`the document of run ${run_no} does not have the digest that was recorded`)
    for (const { part_no, sha256, bytes: length } of parts) {
      const raw = Buffer.concat(await Promise.all((await read(listPartFrames(part_no))).map(rawFrameAsync)))
      if (raw.length !== length || createHash('sha256').update(raw).digest('hex') !== sha256)
        throw new NotAsRecorded(`part ${sha256} of run ${run_no} does not have its digest`)
      yield { raw, part_no }
    }
  }

  const beginObjects = async (count: number): Promise<NewObject[]> => {
    const objects = Array.from({ length: count }, () => ({ object_id: newObjectId(), key: newObjectKey() }))
    // Copied, because the thread that writes may take the memory of its arguments over.
    await commit.beginMoves(SYSTEM, {
      objects: objects.map(({ object_id, key }) => ({ object_id, key: Uint8Array.from(key) })),
      place: 's3',
      at: now(),
    })
    return objects
  }

  /** Writes raw bytes as an object and reads it back. Returns the lengths of its chunks. */
  const storeObject = async (
    { object_id, key }: NewObject,
    raw: readonly Buffer[],
    digest: Hash,
  ): Promise<number[]> => {
    const lengths: number[] = []
    const body = Buffer.concat(raw)
    const chunks = async function* () {
      for await (const chunk of sealObject(body, key, object_id)) {
        lengths.push(chunk.length)
        yield chunk
      }
    }
    await bucket.put(object_id, chunks())
    observe('stored')
    const found = createHash('sha256')
    const piece = { object_id, place: 's3', key, lengths, start: 0, offset: 0, bytes: body.length }
    try {
      for await (const chunk of movedBytes([piece], 0, body.length, readObject)) found.update(chunk)
    } catch (error) {
      if (!(error instanceof ObjectDamaged)) throw error
      throw new ObjectsUnavailable(`${bucket.where} has not the bytes that it stored`, { cause: error })
    }
    if (!found.digest().equals(digest.digest()))
      throw new ObjectsUnavailable(`${bucket.where} has other bytes than were sent`)
    observe('read back')
    return lengths
  }

  /** Writes the objects of a run. `ids` collects them, also if a later one fails. */
  const writeRun = async (
    run: RunToMove,
    parts: readonly SmallPart[],
    first: NewObject,
    ids: string[],
  ): Promise<WrittenRun> => {
    const objects: Array<WrittenRun['objects'][number]> = []
    const pieces: MovedPiece[] = []
    const piecesOf = new Map<number, number>()
    let next: NewObject | null = first
    let raw: Buffer[] = []
    let [bytes, document_bytes] = [0, 0]
    let digest = createHash('sha256')
    const flush = async (object: NewObject): Promise<void> => {
      const lengths = await storeObject(object, raw, digest)
      objects.push({ object_id: object.object_id, bytes, document_bytes, lengths })
      ;[raw, bytes, document_bytes, digest, next] = [[], 0, 0, createHash('sha256'), null]
    }
    const objectOf = async (): Promise<NewObject> => {
      if (next) return next
      const [object] = await beginObjects(1)
      if (!object) throw new Error('no object was begun')
      ids.push(object.object_id)
      return (next = object)
    }
    for await (const { raw: found, part_no } of framedBytes(run, parts)) {
      for (let at = 0; at < found.length;) {
        const object = await objectOf()
        const some = found.subarray(at, at + MAX_RUN_OBJECT_BYTES - bytes)
        if (part_no === null) document_bytes += some.length
        else {
          const n = piecesOf.get(part_no) ?? 0
          piecesOf.set(part_no, n + 1)
          pieces.push({ part_no, n, object_id: object.object_id, start: bytes, bytes: some.length })
        }
        raw.push(some)
        digest.update(some)
        bytes += some.length
        at += some.length
        if (bytes === MAX_RUN_OBJECT_BYTES) await flush(object)
      }
    }
    if (bytes > 0) await flush(await objectOf())
    return { run_no: run.run_no, objects, pieces }
  }

  const moveRuns: Mover['moveRuns'] = async (runs, signal) => {
    if (runs.length === 0) return { moved: 0, lost: 0, failed: [] }
    const parts = Map.groupBy(await read(listSmallParts(runs.map(({ run_no }) => run_no))), ({ run_no }) => run_no)
    const begun = await beginObjects(runs.length)
    observe('begun')
    const written: WrittenRun[] = []
    const failed: Array<{ run_no: number; error: unknown }> = []
    const left: string[] = []
    let lost = 0
    const small = new PQueue({ concurrency: CONCURRENT_RUNS })
    const large = new PQueue({ concurrency: 1 })
    const work = runs.map((run, i) => async (): Promise<void> => {
      const first = begun[i]
      if (!first) throw new Error('a run has no object')
      const ids = [first.object_id]
      try {
        // One that is away is not asked again for each run.
        if (signal.aborted || failed.some(({ error }) => error instanceof ObjectsUnavailable)) throw new Stopped()
        written.push(await writeRun(run, parts.get(run.run_no) ?? [], first, ids))
      } catch (error) {
        left.push(...ids)
        if (error instanceof RunGone) lost++
        else if (!(error instanceof Stopped)) failed.push({ run_no: run.run_no, error })
      }
    })
    const isLarge = ({ document_bytes, run_no }: RunToMove): boolean =>
      (parts.get(run_no) ?? []).reduce((sum, { bytes }) => sum + bytes, document_bytes) > LARGE_BYTES
    await small.addAll(work.filter((_, i) => !isLarge(runs[i] as RunToMove)))
    await large.addAll(work.filter((_, i) => isLarge(runs[i] as RunToMove)))
    await partStore.dropObjects(left, { isKept: true })
    const { dropped } = written.length === 0 ? { dropped: [] } : await commit.endMoves(SYSTEM, { runs: written })
    observe('ended')
    await partStore.removeObjects(dropped)
    const kept = written.filter(({ objects }) => !objects.some(({ object_id }) => dropped.includes(object_id)))
    return { moved: kept.length, lost: lost + written.length - kept.length, failed }
  }

  /** Renews the claims of this process while it works. */
  const whileRenewing = async <T>(work: () => Promise<T>): Promise<T> => {
    const timer = setInterval(() => {
      // If it fails, another replica may take the runs: one of both wins.
      commit.renewMoves(SYSTEM, { holder, at: now() }).catch(() => {})
    }, RENEW_MS)
    try {
      return await work()
    } finally {
      clearInterval(timer)
    }
  }

  const moveWaiting: Mover['moveWaiting'] = async (signal) => {
    // A look without the lock, because most find nothing.
    if ((await read(listClaimable(holder, now(), 1))).length === 0) return null
    const claimed = await commit.claimMoves(SYSTEM, { holder, at: now(), limit: RUNS_PER_BATCH })
    if (claimed.length === 0) return null
    observe('claimed')
    const moves = await whileRenewing(async () => moveRuns(await read(listRunsToMove(claimed)), signal))
    for (const { run_no, error } of moves.failed)
      if (!(error instanceof ObjectsUnavailable))
        await commit.postponeMove(SYSTEM, { run_no, until: now() + POSTPONED_MS })
    return moves
  }

  const returnRun: Mover['returnRun'] = async ({ run_no, document_bytes, document_sha256 }) => {
    const pieces = await read(listDocumentPieces(run_no))
    if (pieces.length === 0) return false
    const document: Buffer[] = []
    for await (const raw of movedBytes(pieces, 0, documentBytesOf(pieces), readObject)) document.push(raw)
    const body = Uint8Array.from(Buffer.concat(document))
    if (body.length !== document_bytes || createHash('sha256').update(body).digest('hex') !== document_sha256)
      throw new NotAsRecorded(`the document of run ${run_no} does not have the digest that was recorded`)
    let group: Array<{ part_no: number; bytes: number }> = []
    let raw: Buffer[] = []
    const flush = async (): Promise<void> => {
      if (group.length === 0) return
      await commit.returnDocument(SYSTEM, { run_no, parts: group, body: Uint8Array.from(Buffer.concat(raw)) })
      ;[group, raw] = [[], []]
    }
    let size = 0
    for (const part of await read(listMovedParts(run_no))) {
      for await (const chunk of readPart(read, readObject, part.part_no, 0, part.bytes)) raw.push(chunk)
      group.push(part)
      size += part.bytes
      if (size < LARGE_BYTES) continue
      await flush()
      size = 0
    }
    await flush()
    const { dropped } = await commit.returnDocument(SYSTEM, { run_no, parts: null, body })
    await partStore.removeObjects(dropped)
    return dropped.length > 0
  }

  return { moveWaiting, moveRuns, returnRun }
}

type NewObject = { readonly object_id: string; readonly key: Buffer }

/** The run was deleted, or moved by another replica, before its document was read. */
class RunGone extends Error {
  override readonly name = 'RunGone'
}

/** A run is left for later. */
class Stopped extends Error {
  override readonly name = 'Stopped'
}
