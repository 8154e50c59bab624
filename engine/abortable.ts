/** Waits until work has ended. Rejects with the reason of the signal once it is aborted; the work goes on. */
export const waitForEnd = async (work: Promise<void>, signal: AbortSignal): Promise<void> => {
  signal.throwIfAborted()
  const { promise, reject } = Promise.withResolvers<never>()
  const stop = (): void => reject(signal.reason)
  signal.addEventListener('abort', stop)
  try {
    await Promise.race([work, promise])
  } finally {
    signal.removeEventListener('abort', stop)
  }
}
