import { Unavailable } from '../storage/storage.ts'

/** A place for one upload: its bytes count until it leaves, received or waiting for its commit. */
export type Place = { readonly grow: (bytes: number) => void; readonly leave: () => void }

/**
 * Bounds the bytes of all uploads that are being received or wait for their commit. Beyond it the next is told to come
 * back (`Unavailable`), so that no number of large documents at once exhausts memory.
 */
export const admission = (mostBytes: number) => {
  let taken = 0

  /** Enters with the announced length (0 where none is); one upload alone is always let in. */
  const enter = (announced: number): Place => {
    let mine = 0
    const grow = (bytes: number): void => {
      if (taken - mine > 0 && taken + bytes > mostBytes) throw new Unavailable('too many uploads are waiting')
      mine += bytes
      taken += bytes
    }
    grow(announced)
    return {
      // What was announced is counted already.
      grow: (received) => grow(Math.max(0, received - mine)),
      leave: () => {
        taken -= mine
        mine = 0
      },
    }
  }

  return { enter, taken: () => taken }
}
