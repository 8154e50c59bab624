import closeWithGrace from 'close-with-grace'
import { onSignals } from '../terminal/stop-signals.ts'

/** Signals that users and tools send to stop a service. */
const STOPPING = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const

/** Why the service stops: a signal, or an unexpected failure. */
export type Stopping = { readonly err: Error | undefined; readonly signal: string | undefined }

/**
 * Runs `stop` once, on a signal or an unexpected failure, then ends the process. The exit code is 0, or 1 after a
 * failure or if `stop` takes longer than `graceMs`. Another signal ends the process at once with 1, unless it arrives
 * within a second of the first.
 */
export const stopGracefully = (graceMs: number, stop: (why: Stopping) => Promise<void>): void => {
  let isStopping = false
  let receivedSignal: string | undefined
  const { close } = closeWithGrace({ delay: graceMs, logger: false, skip: [...STOPPING] }, async ({ err, signal }) => {
    isStopping = true
    await stop({ err, signal: receivedSignal ?? signal })
  })
  const endNow = (): never => process.exit(1)
  onSignals(STOPPING, {
    first: (name) => {
      if (isStopping) endNow()
      receivedSignal = name
      close()
    },
    again: endNow,
  })
}
