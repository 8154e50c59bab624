/** One direction of an exchange with a client. */
export type Transfer = {
  /** Bytes that the client has sent or taken so far. */
  readonly moved: () => number
  /** Whether it is the client that is waited for, and not we. */
  readonly isWaiting: () => boolean
  /** How long it is watched before it is judged. */
  readonly windowMs: number
  /** Bytes that it must move in the window that begins now. */
  readonly least: (moved: number) => number
  /** Called once, when a window ended with less. */
  readonly drop: () => void
}

/**
 * Gives up on clients that move too little while they are waited for: what they hold is memory that others need. `now`
 * is in milliseconds.
 */
export const slowClients = (now: () => number) => {
  const watched = new Map<Transfer, { readonly since: number; readonly moved: number; readonly least: number }>()

  const begin = (transfer: Transfer): void => {
    const moved = transfer.moved()
    watched.set(transfer, { since: now(), moved, least: transfer.least(moved) })
  }

  return {
    /** Watches a transfer until the function that it answers is called. */
    watch: (transfer: Transfer): (() => void) => {
      begin(transfer)
      return () => void watched.delete(transfer)
    },

    /** Judges those whose window is over; to be called every few seconds. */
    check: (): void => {
      for (const [transfer, { since, moved, least }] of [...watched]) {
        if (!transfer.isWaiting()) begin(transfer)
        else if (now() - since < transfer.windowMs) continue
        else if (transfer.moved() - moved >= least) begin(transfer)
        else {
          watched.delete(transfer)
          transfer.drop()
        }
      }
    },

    watching: () => watched.size,
  }
}
