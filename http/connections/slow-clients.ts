/** The body that a client sends, or the answer that it receives. */
export type Transfer = {
  /** Bytes that the client has sent or received so far. */
  readonly moved: () => number
  /** Whether we wait for the client, and not the client for us. */
  readonly isWaiting: () => boolean
  /** How long the client has to move `least` bytes. */
  readonly windowMs: number
  /** Bytes that the client must move in the window that starts now. */
  readonly least: (moved: number) => number
  /** Called once, when the client has moved fewer than `least` bytes in a window. */
  readonly drop: () => void
}

/**
 * Drops clients that move too few bytes while we wait for them: they hold memory that other requests need. `now` is in
 * milliseconds.
 */
export const slowClients = (now: () => number) => {
  const watched = new Map<Transfer, { readonly since: number; readonly moved: number; readonly least: number }>()

  const startWindow = (transfer: Transfer): void => {
    const moved = transfer.moved()
    watched.set(transfer, { since: now(), moved, least: transfer.least(moved) })
  }

  return {
    /** Watches a transfer until the returned function is called. */
    watch: (transfer: Transfer): (() => void) => {
      startWindow(transfer)
      return () => void watched.delete(transfer)
    },

    /** Checks transfers whose window is over; to be called every few seconds. */
    check: (): void => {
      for (const [transfer, { since, moved, least }] of [...watched]) {
        if (!transfer.isWaiting()) startWindow(transfer)
        else if (now() - since < transfer.windowMs) continue
        else if (transfer.moved() - moved >= least) startWindow(transfer)
        else {
          watched.delete(transfer)
          transfer.drop()
        }
      }
    },

    watching: () => watched.size,
  }
}
