/** The body that a client sends, or the answer that it receives. */
export type Transfer = {
  /** Bytes that the client has sent or received so far. */
  readonly transferredBytes: () => number
  /** Whether we wait for the client, and not the client for us. */
  readonly isWaiting: () => boolean
  /** How long the client has to move `minBytes`. */
  readonly windowMs: number
  /** Bytes that the client must move in the window that starts now. */
  readonly minBytes: (transferredBytes: number) => number
  /** Called once, when the client has moved fewer than `minBytes` in a window. */
  readonly drop: () => void
}

/**
 * Drops clients that move too few bytes while we wait for them: they hold memory that other requests need. `now` is in
 * milliseconds.
 */
export const slowClients = (now: () => number) => {
  const watched = new Map<
    Transfer,
    { readonly since: number; readonly startBytes: number; readonly minBytes: number }
  >()

  const startWindow = (transfer: Transfer): void => {
    const startBytes = transfer.transferredBytes()
    watched.set(transfer, { since: now(), startBytes, minBytes: transfer.minBytes(startBytes) })
  }

  return {
    /** Watches a transfer until the returned function is called. */
    watch: (transfer: Transfer): (() => void) => {
      startWindow(transfer)
      return () => void watched.delete(transfer)
    },

    /** Checks transfers whose window is over; to be called every few seconds. */
    check: (): void => {
      for (const [transfer, { since, startBytes, minBytes }] of [...watched]) {
        if (!transfer.isWaiting()) startWindow(transfer)
        else if (now() - since < transfer.windowMs) continue
        else if (transfer.transferredBytes() - startBytes >= minBytes) startWindow(transfer)
        else {
          watched.delete(transfer)
          transfer.drop()
        }
      }
    },

    watching: () => watched.size,
  }
}
