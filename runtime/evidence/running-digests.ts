import { createHash, type Hash } from 'node:crypto'
import { setImmediate as yieldToEventLoop } from 'node:timers/promises'

/** Bytes that are hashed in one step: other requests go on between two. */
export const HASHED_AT_ONCE = 1024 * 1024

/** Adds bytes to a hash, in steps. */
export const hashInSteps = async (hash: Hash, bytes: Uint8Array): Promise<void> => {
  for (let from = 0; from < bytes.length; from += HASHED_AT_ONCE) {
    hash.update(bytes.subarray(from, from + HASHED_AT_ONCE))
    if (from + HASHED_AT_ONCE < bytes.length) await yieldToEventLoop()
  }
}

/** Bytes of pieces that came before their turn, of all uploads together: as many as one client sends at the same time. */
const MAX_EARLY_BYTES = 32 * 1024 * 1024
/** Uploads whose digests are kept. */
const MAX_UPLOADS = 1000

/** The object of a piece, and its raw bytes, which do not change. */
type Piece = { readonly n: number; readonly object_id: string; readonly body: Uint8Array }
type Early = Piece & { readonly isDone: () => void }

type Running = {
  readonly hash: Hash
  /** The objects whose bytes are in the hash, in order. */
  readonly objects: string[]
  bytes: number
  readonly early: Map<number, Early>
  /** When its last piece came, in epoch milliseconds. */
  touchedAt: number
  /** The pieces are hashed one after the other. */
  last: Promise<void>
}

/** The digest of the first objects of a part: the hash of their bytes, and how many bytes that are. */
export type DigestSoFar = { readonly hash: Hash; readonly bytes: number }

/**
 * Digests of parts that arrive in pieces. A piece is hashed in its turn while its bytes are in memory, so that what one process received nearly in
 * order is not read back. Which objects the hash is of is kept too: a piece that was stored twice, or by another process, is noticed.
 */
export const runningDigests = ({ maxEarlyBytes = MAX_EARLY_BYTES } = {}) => {
  const uploads = new Map<string, Running>()
  let earlyBytes = 0

  const takeEarly = (running: Running, n: number): Early | undefined => {
    const piece = running.early.get(n)
    if (running.early.delete(n)) earlyBytes -= piece?.body.length ?? 0
    return piece
  }
  const forgetEarly = (running: Running, n: number): void => takeEarly(running, n)?.isDone()

  /** Makes room: what came first goes first, because its turn is the least likely to come. */
  const dropEarly = (): void => {
    for (const running of uploads.values())
      for (const n of running.early.keys()) {
        if (earlyBytes <= maxEarlyBytes) return
        forgetEarly(running, n)
      }
  }

  const drop = (upload: string): void => {
    const running = uploads.get(upload)
    for (const n of running?.early.keys() ?? []) if (running) forgetEarly(running, n)
    uploads.delete(upload)
  }

  const begin = (upload: string): Running => {
    const running: Running = {
      ...{ hash: createHash('sha256'), objects: [], bytes: 0 },
      ...{ early: new Map(), touchedAt: 0, last: Promise.resolve() },
    }
    uploads.set(upload, running)
    const [oldest] = uploads.keys()
    if (uploads.size > MAX_UPLOADS && oldest !== undefined) drop(oldest)
    return running
  }

  const hashWhatIsNext = async (running: Running): Promise<void> => {
    for (;;) {
      const piece = takeEarly(running, running.objects.length)
      if (piece === undefined) return
      await hashInSteps(running.hash, piece.body)
      piece.isDone()
      running.objects.push(piece.object_id)
      running.bytes += piece.body.length
    }
  }

  return {
    /** Takes a piece of an upload. Returns once its bytes are not needed any more: it is hashed, or will not be. */
    add: (upload: string, piece: Piece, at: number): Promise<void> =>
      new Promise((isDone) => {
        const running = uploads.get(upload) ?? begin(upload)
        running.touchedAt = at
        if (piece.n < running.objects.length) {
          isDone()
          return
        }
        // One that is sent again was not stored before.
        forgetEarly(running, piece.n)
        running.early.set(piece.n, { ...piece, isDone })
        earlyBytes += piece.body.length
        // One whose turn it is needs no room: it is hashed now.
        if (piece.n > running.objects.length) dropEarly()
        running.last = running.last.then(() => hashWhatIsNext(running))
      }),
    /** The digest of the first objects of a part, as far as it is known. These are all objects of the part, in order. */
    soFar: async (upload: string, objects: readonly string[]): Promise<DigestSoFar> => {
      const running = uploads.get(upload)
      await running?.last
      const isSame = running?.objects.every((object_id, n) => object_id === objects[n])
      return running && isSame
        ? { hash: running.hash.copy(), bytes: running.bytes }
        : { hash: createHash('sha256'), bytes: 0 }
    },
    /** Forgets an upload that ended. */
    drop,
    /** Forgets the uploads of which no piece came since an instant. */
    dropBefore: (instant: number): void => {
      for (const [upload, { touchedAt }] of uploads) if (touchedAt < instant) drop(upload)
    },
  }
}
