import { release } from '../../storage/objects/seal.ts'

/** Buffers that are kept: as many as one client fills at the same time. */
const MAX_KEPT = 4
/** Milliseconds after which they are freed if no piece comes. */
const KEPT_MS = 10_000

/**
 * The memory of pieces, which is used again: new memory for each piece would cost a collection of garbage, and the time that the system takes to
 * clear it.
 */
export const pieceBuffers = (bytes: number) => {
  const kept: Uint8Array<ArrayBuffer>[] = []
  let timer: NodeJS.Timeout | undefined
  const free = (): void => {
    for (const buffer of kept.splice(0)) release(buffer)
  }
  return {
    /** A buffer for a piece of some bytes, or null. What it has is of another piece. */
    take: (length: number): Uint8Array<ArrayBuffer> | null => (length === bytes ? (kept.pop() ?? null) : null),
    /** Takes back the memory of a piece that nothing reads any more. */
    give: (piece: Uint8Array): void => {
      const { buffer } = piece
      // Of another memory the rest is not of the piece.
      if (!(buffer instanceof ArrayBuffer) || buffer.byteLength !== piece.length) return
      if (piece.length !== bytes || kept.length >= MAX_KEPT) {
        release(piece)
        return
      }
      kept.push(new Uint8Array(buffer))
      clearTimeout(timer)
      timer = setTimeout(free, KEPT_MS).unref()
    },
  }
}
