import { createHash } from 'node:crypto'
import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import PQueue from 'p-queue'
import type { Commit } from '../../commands/commit.ts'
import type { WholePart } from '../../commands/part/stage-parts.ts'
import { uploadDropped, type StagedLimits } from '../../commands/part/staging.ts'
import { Refused } from '../../commands/refused.ts'
import { SYSTEM, type Viewer } from '../../queries/access/viewer.ts'
import { findStaged, listStagedPieces, stagedBy } from '../../queries/evidence/staged.ts'
import { findLogIdentity } from '../../storage/log/head.ts'
import { fileStore, type FileStep } from '../../storage/objects/file-store.ts'
import type { ObjectStore } from '../../storage/objects/object-store.ts'
import { objectReader } from '../../storage/objects/read-object.ts'
import { readPart, withDigest } from '../../storage/objects/read-part.ts'
import { listDroppedInBucket, listDroppedObjects, listInBucket, MAX_FRAMED_BYTES } from '../../storage/objects/rows.ts'
import { ObjectDamaged, newObjectId, newObjectKey, sealObject } from '../../storage/objects/seal.ts'
import type { StoreHealth } from '../../storage/objects/s3/health.ts'
import { NotRemoved } from '../../storage/objects/s3/not-removed.ts'
import type { S3Store } from '../../storage/objects/s3/store.ts'
import { tableStore } from '../../storage/objects/table-store.ts'
import { ObjectsUnavailable } from '../../storage/errors.ts'
import type { Reader } from '../../storage/storage.ts'
import { pieceBuffers } from './piece-buffers.ts'
import { HASHED_AT_ONCE, hashInSteps, runningDigests } from './running-digests.ts'

/** Raw bytes of a piece of an upload; the last has the rest. */
export const PIECE_BYTES = 8 * 1024 * 1024

/** The limits of parts. */
export type PartLimits = {
  /** Bytes of one part. */
  readonly maxBytes: number
  /** Bytes of the parts of a run together. */
  readonly maxRunBytes: number
  /** What an account or a token may have sent that no run names, and the hours that it stays. */
  readonly staged: StagedLimits & { readonly hours: number }
}

/** An upload as its sender sees it. `missing` are the first and the last byte of each gap. */
export type PartUpload = {
  readonly bytes: number
  readonly received: number
  readonly missing: Array<[number, number]>
  readonly complete: boolean
}

/** What is stored of a part after a request. */
export type PartReceived = {
  readonly sha256: string
  readonly bytes: number
  readonly received: number
  readonly complete: boolean
}

/** The bytes of a part, and their digest as the sender says. */
export type NamedBytes = { readonly sha256: string; readonly bytes: Uint8Array }

export type PartStore = {
  /** Stores a whole part. Refuses: unprocessable (other bytes than the digest says), conflict. */
  readonly storeWhole: (viewer: Viewer, sha256: string, body: Uint8Array) => Promise<PartReceived>
  /**
   * Stores whole parts in one commit: all or none. They are together at most as large as a body. Refuses: unprocessable (other bytes than the
   * digest says), conflict.
   */
  readonly storeMany: (viewer: Viewer, parts: readonly NamedBytes[]) => Promise<void>
  /** Memory for a piece of some bytes, or null: see `receive`. */
  readonly takeBuffer: (bytes: number) => Uint8Array<ArrayBuffer> | null
  /** Stores a piece of a part, the n-th, and takes its memory over. With the last one the digest is checked: other bytes are dropped, and refused as above. */
  readonly storePiece: (
    viewer: Viewer,
    sha256: string,
    piece: { readonly n: number; readonly total: number; readonly body: Uint8Array },
  ) => Promise<PartReceived>
  /** Drops what the viewer has sent of a part that no run names, with its bytes. Refuses: not_found. */
  readonly dropUpload: (viewer: Viewer, sha256: string) => Promise<void>
  /** The viewer's own upload that no run names, or null. */
  readonly findUpload: (viewer: Viewer, sha256: string) => Promise<PartUpload | null>
  /** Raw bytes of a stored part, from one offset to another, whose number comes from a query with a viewer. See `readPart`. */
  readonly read: (
    part_no: number,
    from: number,
    to: number,
    mayContinue?: () => Promise<boolean>,
  ) => AsyncGenerator<Buffer>
  /** The same of a whole part. Throws before its last bytes if the part has another digest. */
  readonly readWhole: (
    part_no: number,
    part: { readonly sha256: string; readonly bytes: number },
    mayContinue: () => Promise<boolean>,
  ) => AsyncGenerator<Buffer>
  /** Drops what no run has named for its hours, and removes the bytes of all that was dropped. Returns how much of both. */
  readonly sweep: (signal: AbortSignal) => Promise<{ readonly parts: number; readonly objects: number }>
  /** Removes the bytes of what was dropped. Their keys are gone already. Returns the number of objects. */
  readonly removeDropped: (signal?: AbortSignal) => Promise<number>
  /**
   * Drops objects that were begun and have no use, with their bytes, after any error. `isKept`: the sweep removes the bytes, because what a request sent
   * may still arrive in a bucket after its end.
   */
  readonly dropObjects: (ids: readonly string[], options?: { readonly isKept?: boolean }) => Promise<void>
  /** Removes the bytes of some objects that were dropped. The sweep does it later if the bucket is away. */
  readonly removeObjects: (ids: readonly string[]) => Promise<void>
  /** The bucket of large parts; null if they are in files or in the database. */
  readonly bucket: Bucket | null
}

/** A bucket: where it is, how its requests end, and since when bytes wait there to be removed, in epoch milliseconds. */
export type Bucket = {
  readonly where: string
  readonly health: StoreHealth
  readonly pendingSince: () => number | null
}

type Parts = {
  readonly reader: Reader
  readonly commit: Commit
  readonly now: () => number
  /** The folder of large parts of a state directory; null if they are in the database. */
  readonly partsFolder: string | null
  /** Called at each step of a file: for specs that end the process there. */
  readonly observe?: (step: FileStep) => void
  /** The bucket of large parts, if there is one: new ones go there. */
  readonly bucket?: S3Store | null | undefined
}

const HOUR_MS = 3_600_000
/** A request to a bucket that was given up arrives before, or never. */
const LATE_PUT_MS = HOUR_MS

const digestOf = async (body: Uint8Array): Promise<string> => {
  const hash = createHash('sha256')
  await hashInSteps(hash, body)
  return hash.digest('hex')
}

/** Parts whose pieces are read back at the same time. */
const CONCURRENT_CHECKS = 2

/** A part of which all pieces are there. */
type UploadedPart = { readonly sha256: string; readonly part_no: number; readonly total: number }

const otherBytes = (sha256: string): Refused =>
  new Refused('unprocessable', `the bytes do not have the SHA-256 ${sha256}: nothing of them is kept`)

/**
 * Stores parts of evidence: small ones in the database, large ones in a bucket, in files of a state directory, or in the database too. `reader` must
 * read the primary: what is staged is no record, so a standby may not have it although it has the log.
 */
export const openPartStore = (
  { reader, commit, now, partsFolder, observe, bucket = null }: Parts,
  { staged: limits }: PartLimits,
): PartStore => {
  const table = tableStore({
    read: reader.read,
    write: (object_id, from, body) => commit.writeObjectRows(SYSTEM, { object_id, from, body }),
    remove: (object_id, from, to) => commit.removeObjectRows(SYSTEM, { object_id, from, to }),
  })
  const files =
    partsFolder === null
      ? []
      : [
          fileStore({
            folder: partsFolder,
            identity: async () => reader.read(findLogIdentity),
            ...(observe && { observe }),
          }),
        ]
  /** A state directory that was copied from a database has objects in its table. */
  const local: readonly ObjectStore[] = [...files, table]
  /** New objects are there. */
  const store: ObjectStore = bucket ?? files[0] ?? table
  const readObject = objectReader({ read: reader.read, partsFolder, s3: bucket })
  let pendingSince: number | null = null

  /** Seals bytes and stores them as an object. Returns what its row says. */
  const storeObject = async (
    viewer: Viewer,
    size: { sha256: string; total: number },
    body: Uint8Array,
    object_id = newObjectId(),
  ) => {
    const key = newObjectKey()
    await commit.beginObject(viewer, { ...size, object_id, key, place: store.place, at: now(), limits })
    const lengths: number[] = []
    const chunks = async function* () {
      for await (const chunk of sealObject(body, key, object_id)) {
        lengths.push(chunk.length)
        yield chunk
      }
    }
    await store.put(object_id, chunks()).catch(async (error: unknown): Promise<never> => {
      // What a request sent may still arrive in a bucket after its end: the sweep removes it.
      await dropObjects([object_id], { isKept: store === bucket })
      throw error
    })
    return { object_id, lengths }
  }

  const forget = (object_id: string): Promise<unknown> => commit.forgetObject(SYSTEM, { object_id })
  const removeLocal = async (object_id: string): Promise<void> => {
    for (const each of local) await each.remove([object_id])
    await forget(object_id)
  }
  const removeFromBucket = async (ids: readonly string[]): Promise<void> => {
    if (ids.length === 0) return
    if (!bucket) throw new ObjectsUnavailable('SERVICE_OBJECT_STORE_URL does not name the bucket of these objects')
    try {
      await bucket.remove(ids)
    } catch (error) {
      pendingSince ??= now()
      if (error instanceof NotRemoved) await Promise.all(ids.filter((id) => !error.ids.has(id)).map(forget))
      throw error
    }
    await Promise.all(ids.map(forget))
  }

  /**
   * Drops objects whose part was not stored, with their bytes, after any error: one that was stored after all stays. What cannot be dropped
   * now is swept later.
   */
  const dropObjects = async (ids: readonly string[], { isKept = false } = {}): Promise<void> => {
    for (const object_id of ids)
      await commit
        .dropRefusedObject(SYSTEM, { object_id })
        .then((isDropped) => (isDropped && !isKept ? removeObjects([object_id]) : undefined))
        .catch(() => {})
  }

  /** What is dropped counts for no limit, so it does not wait for the sweep: else it could fill the disk before. */
  const removeObjects = async (ids: readonly string[]): Promise<void> => {
    if (ids.length === 0) return
    const inBucket = await reader.read(listInBucket(ids))
    for (const id of ids) if (!inBucket.has(id)) await removeLocal(id)
    // Their keys are gone, so a bucket that is away delays nothing but its own bytes.
    await removeFromBucket([...inBucket]).catch((error: unknown) => {
      if (!(error instanceof ObjectsUnavailable)) throw error
    })
  }

  const removeDropped: PartStore['removeDropped'] = async (signal) => {
    const mayContinue = (): boolean => signal?.aborted !== true
    let count = 0
    while (mayContinue()) {
      const ids = await reader.read(listDroppedObjects)
      if (ids.length === 0) break
      for (const id of ids) {
        if (!mayContinue()) break
        await removeLocal(id)
        count++
      }
    }
    // The bucket comes last: what is elsewhere goes although it may be away.
    const refused: NotRemoved[] = []
    for (let after = ''; mayContinue();) {
      const ids = await reader.read(listDroppedInBucket(after, now() - LATE_PUT_MS))
      const last = ids.at(-1)
      if (last === undefined) {
        if (refused.length === 0) pendingSince = null
        break
      }
      after = last
      await removeFromBucket(ids).catch((error: unknown) => {
        if (!(error instanceof NotRemoved)) throw error
        // One that cannot be removed does not keep the others.
        refused.push(error)
        count -= error.ids.size
      })
      count += ids.length
    }
    const [first] = refused
    if (first) throw first
    return count
  }

  /** Adds a stored object to the upload of its part. It is removed if it is refused, or was there already. */
  const addPiece = async (viewer: Viewer, piece: Omit<Parameters<Commit['storePiece']>[1], 'at' | 'limits'>) => {
    const { object_id } = piece
    const stored = await commit
      .storePiece(viewer, { ...piece, at: now(), limits })
      .catch(async (error: unknown): Promise<never> => {
        await dropObjects([object_id])
        throw error
      })
    await removeObjects(stored.dropped)
    return stored
  }

  const digests = runningDigests()
  const buffers = pieceBuffers(PIECE_BYTES)
  const uploadOf = (viewer: Viewer, sha256: string): string => `${stagedBy(viewer)} ${sha256}`

  const checkPieces = async (viewer: Viewer, { sha256, part_no, total }: UploadedPart): Promise<void> => {
    const pieces = await reader.read(listStagedPieces(viewer, sha256))
    const { hash, bytes } = await digests.soFar(
      uploadOf(viewer, sha256),
      pieces.map(({ object_id }) => object_id),
    )
    try {
      // What did not come in order, or came to another process.
      for await (const raw of readPart(reader.read, readObject, part_no, bytes, total)) hash.update(raw)
    } catch (error) {
      const staged = error instanceof ObjectDamaged ? await reader.read(findStaged(viewer, sha256)) : null
      if (!(error instanceof ObjectDamaged) || staged?.part_no === part_no) throw error
      throw uploadDropped()
    }
    digests.drop(uploadOf(viewer, sha256))
    const isRight = hash.digest('hex') === sha256
    await removeObjects(await commit.completePart(viewer, { sha256, part_no, isRight }))
    if (!isRight) throw otherBytes(sha256)
  }

  const checks = new PQueue({ concurrency: CONCURRENT_CHECKS })
  const running = new Map<number, Promise<void>>()
  /** The pieces of a part are read once, however many requests wait for it. */
  const checkOnce = (viewer: Viewer, part: UploadedPart): Promise<void> => {
    const check =
      running.get(part.part_no) ??
      checks.add(() => checkPieces(viewer, part)).finally(() => running.delete(part.part_no))
    running.set(part.part_no, check)
    return check
  }

  const storeMany: PartStore['storeMany'] = async (viewer, given) => {
    const differing = [...new Map(given.map((part) => [part.sha256, part])).values()]
    let hashed = 0
    for (const { sha256, bytes } of given) {
      if ((await digestOf(bytes)) !== sha256) throw otherBytes(sha256)
      hashed += bytes.length
      if (hashed < HASHED_AT_ONCE) continue
      hashed = 0
      await yieldToEventLoop()
    }
    const small = differing.filter(({ bytes }) => bytes.length <= MAX_FRAMED_BYTES)
    // Of its own memory, because the thread that writes takes it over.
    const body = joined(small.map(({ bytes }) => bytes))
    const parts: WholePart[] = []
    const dropAll = async (error: unknown): Promise<never> => {
      await dropObjects(parts.flatMap(({ object }) => object?.object_id ?? []))
      throw error
    }
    for (const { sha256, bytes } of differing) {
      const total = bytes.length
      const isSmall = total <= MAX_FRAMED_BYTES
      const object = isSmall ? null : await storeObject(viewer, { sha256, total }, bytes).catch(dropAll)
      parts.push({ sha256, total, object })
    }
    const dropped = await commit.stageParts(viewer, { parts, body, at: now(), limits }).catch(dropAll)
    for (const { sha256 } of differing) digests.drop(uploadOf(viewer, sha256))
    await removeObjects(dropped)
  }

  return {
    storeMany,
    takeBuffer: buffers.take,
    storeWhole: async (viewer, sha256, body) => {
      const total = body.length
      await storeMany(viewer, [{ sha256, bytes: body }])
      return { sha256, bytes: total, received: total, complete: true }
    },
    storePiece: async (viewer, sha256, { n, total, body }) => {
      const bytes = body.length
      const object_id = newObjectId()
      const hashed = digests.add(uploadOf(viewer, sha256), { n, object_id, body }, now())
      const object = await storeObject(viewer, { sha256, total }, body, object_id).finally(
        () => void hashed.then(() => buffers.give(body)),
      )
      const stored = await addPiece(viewer, { ...object, sha256, total, n, bytes })
      if (stored.isAll && !stored.isComplete) await checkOnce(viewer, { sha256, part_no: stored.part_no, total })
      return { sha256, bytes: total, received: stored.received, complete: stored.isAll }
    },
    dropUpload: async (viewer, sha256) => {
      digests.drop(uploadOf(viewer, sha256))
      await removeObjects(await commit.dropUpload(viewer, { sha256 }))
    },
    findUpload: async (viewer, sha256) => {
      const { staged, pieces } = await reader.readAll({
        staged: findStaged(viewer, sha256),
        pieces: listStagedPieces(viewer, sha256),
      })
      if (!staged) return null
      const { bytes } = staged
      if (staged.complete === 1) return { bytes, received: bytes, missing: [], complete: true }
      const numbers = pieces.map(({ n }) => n)
      const missing = missingRanges(bytes, new Set(numbers))
      return {
        bytes,
        received: pieces.reduce((sum, piece) => sum + piece.bytes, 0),
        // All are there, but their digest was not checked, as after a crash: the last one sent again does it.
        missing: missing.length > 0 ? missing : missingRanges(bytes, new Set(numbers.slice(0, -1))),
        complete: false,
      }
    },
    read: (part_no, from, to, mayContinue) => readPart(reader.read, readObject, part_no, from, to, mayContinue),
    readWhole: (part_no, part, mayContinue) =>
      withDigest(readPart(reader.read, readObject, part_no, 0, part.bytes, mayContinue), part),
    sweep: async (signal) => {
      const at = now()
      const before = at - limits.hours * HOUR_MS
      const { parts } = await commit.sweepParts(SYSTEM, { before, at })
      digests.dropBefore(before)
      return { parts, objects: await removeDropped(signal) }
    },
    removeDropped,
    dropObjects,
    removeObjects,
    bucket: bucket && { where: bucket.where, health: bucket.health, pendingSince: () => pendingSince },
  }
}

const joined = (pieces: readonly Uint8Array[]): Uint8Array => {
  const body = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const piece of pieces) {
    body.set(piece, at)
    at += piece.length
  }
  return body
}

/** The first and the last byte of each gap between pieces. */
const missingRanges = (bytes: number, pieces: ReadonlySet<number>): Array<[number, number]> => {
  const ranges: Array<[number, number]> = []
  for (let n = 0; n * PIECE_BYTES < bytes; n++) {
    if (pieces.has(n)) continue
    const [first, last] = [n * PIECE_BYTES, Math.min(bytes, (n + 1) * PIECE_BYTES) - 1]
    const before = ranges.at(-1)
    if (before && before[1] === first - 1) before[1] = last
    else ranges.push([first, last])
  }
  return ranges
}
