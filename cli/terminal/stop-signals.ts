import type { EventEmitter } from 'node:events'

const CODES = { SIGINT: 130, SIGTERM: 143 } as const

/**
 * Signals that come within this time of the first are the first once more. A terminal sends Ctrl-C to a whole group of
 * processes, and a wrapper among them forwards what it got.
 */
const SAME_SIGNAL_MS = 1_000

/** What a spec passes in: the process otherwise. */
export type SignalSource = { readonly source?: EventEmitter; readonly now?: () => number }

type Heard = {
  readonly first: (name: NodeJS.Signals) => void
  /** Another signal, later than a second after the first. */
  readonly again: (name: NodeJS.Signals) => void
}

/** Listens for signals. Returns the function that ends that. */
export const onSignals = (
  names: readonly NodeJS.Signals[],
  { first, again }: Heard,
  { source = process, now = () => performance.now() }: SignalSource = {},
): (() => void) => {
  let at: number | null = null
  const hear = (name: NodeJS.Signals): void => {
    if (at === null) {
      at = now()
      first(name)
    } else if (now() - at > SAME_SIGNAL_MS) again(name)
  }
  for (const name of names) source.on(name, hear)
  return () => {
    for (const name of names) source.off(name, hear)
  }
}

export type StopSignals = {
  /** Aborted by the first signal. One that comes more than a second later ends the process as if nobody listened. */
  readonly signal: AbortSignal
  /** The exit code that the signal asks for, null while there was none. */
  readonly code: () => number | null
  readonly dispose: () => void
}

/**
 * Listens for Ctrl-C and a polite kill, for a command that wants to end in order. `kill` sends this process a signal.
 */
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
 * Does work that ends in order on a signal. Answers its exit code; where it fails after a signal came, that signal's
 * code.
 */
export const untilStopped = async (work: (stop: StopSignals) => Promise<number>): Promise<number> => {
  const stop = listenForStop()
  try {
    return await work(stop)
  } catch (error) {
    const code = stop.code()
    if (code === null) throw error
    return code
  } finally {
    stop.dispose()
  }
}
