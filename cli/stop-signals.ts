const CODES = { SIGINT: 130, SIGTERM: 143 } as const

export type StopSignals = {
  /** Aborted by the first signal. A second one ends the process as if nobody listened. */
  readonly signal: AbortSignal
  /** The exit code that the signal asks for, null while there was none. */
  readonly code: () => number | null
  readonly dispose: () => void
}

/** Listens for Ctrl-C and a polite kill, for a command that wants to end in order. */
export const listenForStop = (): StopSignals => {
  const controller = new AbortController()
  let code: number | null = null
  const stop = (name: NodeJS.Signals) => {
    code = CODES[name as keyof typeof CODES]
    dispose()
    controller.abort()
  }
  const dispose = () => {
    process.off('SIGINT', stop)
    process.off('SIGTERM', stop)
  }
  process.on('SIGINT', stop)
  process.on('SIGTERM', stop)
  return { signal: controller.signal, code: () => code, dispose }
}
