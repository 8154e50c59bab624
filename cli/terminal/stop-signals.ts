import type { EventEmitter } from 'node:events'

const CODES = { SIGINT: 130, SIGTERM: 143 } as const

/**
 * Signals that arrive within this time after the first one count as the same signal. A terminal sends Ctrl-C to a whole
 * process group, and a wrapper in that group forwards the signal again.
 */
const SAME_SIGNAL_MS = 1_000

/** Specs replace the process and the clock. */
export type SignalSource = { readonly source?: EventEmitter; readonly now?: () => number }

type SignalHandlers = {
  readonly first: (name: NodeJS.Signals) => void
  /** Called for another signal, more than a second after the first. */
  readonly again: (name: NodeJS.Signals) => void
}

/** Listens for signals. Returns a function that stops listening. */
export const onSignals = (
  names: readonly NodeJS.Signals[],
  { first, again }: SignalHandlers,
  { source = process, now = () => performance.now() }: SignalSource = {},
): (() => void) => {
  let firstAt: number | null = null
  const onSignal = (name: NodeJS.Signals): void => {
    if (firstAt === null) {
      firstAt = now()
      first(name)
    } else if (now() - firstAt > SAME_SIGNAL_MS) again(name)
  }
  for (const name of names) source.on(name, onSignal)
  return () => {
    for (const name of names) source.off(name, onSignal)
  }
}

export type StopSignals = {
  /** Aborted by the first signal. Another signal, more than a second later, ends the process at once. */
  readonly signal: AbortSignal
  /** The exit code for the signal; null without a signal. */
  readonly code: () => number | null
  readonly dispose: () => void
}

/** Listens for SIGINT and SIGTERM, so that a command can end properly. `kill` sends a signal to this process. */
export const listenForStop = (
  from: SignalSource = {},
  kill: (name: NodeJS.Signals) => void = (name) => process.kill(process.pid, name),
): StopSignals => {
  const controller = new AbortController()
  let code: number | null = null
  const dispose = onSignals(
    ['SIGINT', 'SIGTERM'],
    {
      first: (name) => {
        code = CODES[name as keyof typeof CODES]
        controller.abort()
      },
      again: (name) => {
        dispose()
        kill(name)
      },
    },
    from,
  )
  return { signal: controller.signal, code: () => code, dispose }
}

/**
 * Runs work that ends properly after a signal, and returns its exit code. After a signal this is the code of the signal,
 * however the work ends: what it could not finish must not pass as done.
 */
export const untilStopped = async (work: (stop: StopSignals) => Promise<number>): Promise<number> => {
  const stop = listenForStop()
  try {
    const code = await work(stop)
    return stop.code() ?? code
  } catch (error) {
    const code = stop.code()
    if (code === null) throw error
    return code
  } finally {
    stop.dispose()
  }
}
