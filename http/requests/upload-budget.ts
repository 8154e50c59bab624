import { Busy } from '../../storage/errors.ts'

/** The reservation of one upload or answer: its bytes count until it leaves. */
export type Reservation = { readonly grow: (received: number) => void; readonly leave: () => void }

/**
 * Bounds the bytes of all uploads that are being received or wait for their commit, or of all answers being sent. Beyond
 * it the next is rejected (`Busy` with `refusal`), so that concurrent large documents cannot exhaust memory.
 */
export const byteBudget = (maxBytes: number, refusal = 'too many uploads are waiting') => {
  let taken = 0

  /**
   * Reserves nothing at first: only received bytes count, or clients could block others by announcing large bodies. A
   * single upload is always admitted.
   */
  const enter = (): Reservation => {
    let reserved = 0
    return {
      grow: (received) => {
        const more = Math.max(0, received - reserved)
        if (taken - reserved > 0 && taken + more > maxBytes) throw new Busy(refusal)
        reserved += more
        taken += more
      },
      leave: () => {
        taken -= reserved
        reserved = 0
      },
    }
  }

  return { enter, taken: () => taken }
}
