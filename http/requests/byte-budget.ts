import { Busy } from '../../storage/errors.ts'

/** The reservation of one upload or response. Its bytes count until `leave` is called. */
export type Reservation = { readonly grow: (received: number) => void; readonly leave: () => void }

/**
 * Limits the bytes of all uploads that are being received or wait for their commit, or of all responses that are being
 * sent. Above `maxBytes`, `grow` throws `Busy` with `refusal`, so that concurrent large documents cannot exhaust memory. The bytes count in the
 * budget `within` too, if there is one.
 */
export const byteBudget = (
  maxBytes: number,
  refusal = 'too many uploads are waiting',
  within?: { readonly enter: () => Reservation },
) => {
  let taken = 0

  /**
   * Reserves nothing at first. Only received bytes count; otherwise a client could block others by announcing a large
   * body. An upload that is the only one is always admitted.
   */
  const enter = (): Reservation => {
    let reserved = 0
    const outer = within?.enter()
    return {
      grow: (received) => {
        const more = Math.max(0, received - reserved)
        if (taken - reserved > 0 && taken + more > maxBytes) throw new Busy(refusal)
        outer?.grow(received)
        reserved += more
        taken += more
      },
      leave: () => {
        taken -= reserved
        reserved = 0
        outer?.leave()
      },
    }
  }

  return { enter, taken: () => taken }
}
