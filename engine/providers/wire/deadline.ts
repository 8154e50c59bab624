import type { Ports } from '../../ports.ts'
import { ProviderFailure } from '../provider.ts'

/** A call took longer than its bound. */
export class DeadlineExceeded extends Error {
  override readonly name = 'DeadlineExceeded'
}

/** A reason of our own: the default one is an error with a stack, made for every call. */
const FINISHED = 'finished'

/**
 * Runs `work` with a signal that ends it after `timeoutMs` or with `signal`. Throws `DeadlineExceeded` or the reason of
 * the signal then, unless `work` throws a `ProviderFailure`.
 */
export const withDeadline = async <T>(
  sleep: Ports['sleep'],
  timeoutMs: number,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> => {
  signal.throwIfAborted()
  const call = new AbortController()
  const finished = new AbortController()
  signal.addEventListener('abort', () => call.abort(signal.reason), { once: true, signal: finished.signal })
  sleep(timeoutMs, finished.signal).then(
    () => call.abort(new DeadlineExceeded(`no complete answer within ${timeoutMs} ms`)),
    (error: unknown) => {
      // The end of the call ends the sleep.
      if (!finished.signal.aborted) call.abort(error)
    },
  )
  try {
    return await work(call.signal)
  } catch (error) {
    // A fault that `work` has put into words says more than the deadline.
    if (signal.aborted || (call.signal.aborted && !(error instanceof ProviderFailure))) throw call.signal.reason
    throw error
  } finally {
    finished.abort(FINISHED)
  }
}
