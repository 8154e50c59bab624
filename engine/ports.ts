import type { spawn } from 'node:child_process'

/**
 * What the engine uses of the world outside: passed in, so that the same suite and the same answers give the same
 * document in a spec.
 */
export type Ports = {
  readonly fetch: typeof fetch
  readonly spawn: typeof spawn
  /** The wall clock: milliseconds since 1970. */
  readonly now: () => number
  /** A clock that only goes forward: milliseconds from any origin. Durations are measured with it. */
  readonly monotonic: () => number
  /** A number from 0 up to, but not including, 1. */
  readonly random: () => number
  /** Resolves after `ms` milliseconds, or rejects with the reason of the signal. */
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>
  /** The environment of the command. A variable that is not set is absent. */
  readonly env: Readonly<Record<string, string | undefined>>
}
