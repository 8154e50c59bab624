import { Busy } from '../../storage/errors.ts'

/** A place for one upload, or one answer: the bytes it has received so far count until it leaves. */
export type Reservation = { readonly grow: (received: number) => void; readonly leave: () => void }

/**
 * Bounds the bytes of all uploads that are being received or wait for their commit, or of all that is counted
 * otherwise. Beyond it the next is told to come back (`Unavailable` with `refusal`), so that no number of large
 * documents at once exhausts memory.
 */
export const byteBudget = (mostBytes: number, refusal = 'too many uploads are waiting') => {
  let taken = 0

  /**
   * Enters with nothing: only bytes that came count, or announcing large bodies would keep everyone else out. One
   * upload alone is always let in.
   */
  const enter = (): Reservation => {
    let mine = 0
    return {
      grow: (received) => {
        const more = Math.max(0, received - mine)
        if (taken - mine > 0 && taken + more > mostBytes) throw new Busy(refusal)
        mine += more
        taken += more
      },
      leave: () => {
        taken -= mine
        mine = 0
      },
    }
  }

  return { enter, taken: () => taken }
}
