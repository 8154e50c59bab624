import closeWithGrace from 'close-with-grace'
import { onSignals } from '../terminal/stop-signals.ts'

/** Signals that people and their tools send to stop a service. */
const STOPPING = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const

/** Why the service stops: a signal, or a failure that nothing expected. */
export type Stopping = { readonly err: Error | undefined; readonly signal: string | undefined }

/**
 * Runs `stop` once, on a signal or on an unexpected failure, then ends the process: with 0, or with 1 after a failure
 * or when `stop` takes longer than `graceMs`. Another signal ends it at once with 1, unless it comes within a second of
 * the first.
 */
export const stopGracefully = (graceMs: number, stop: (why: Stopping) => Promise<void>): void => {
  let isStopping = false
  let heard: string | undefined
  const { close } = closeWithGrace({ delay: graceMs, logger: false, skip: [...STOPPING] }, async ({ err, signal }) => {
    isStopping = true
    await stop({ err, signal: heard ?? signal })
  })
  const endNow = (): never => process.exit(1)
  onSignals(STOPPING, {
    first: (name) => {
      if (isStopping) endNow()
      heard = name
      close()
    },
    again: endNow,
  })
}
