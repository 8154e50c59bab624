/** One run of an outside program: JSON on its stdin, the bytes of its stdout. */
export type ProgramCall = {
  /** The program and its arguments; no shell. A relative path of the program is relative to `directory`. */
  readonly command: readonly string[]
  readonly directory: string
  readonly env: Readonly<Record<string, string>>
  /** Written to stdin, which is then closed. */
  readonly stdin: string
  readonly timeoutMs: number
}

/** How a program ended. `stdout` is at most 16 MiB, `stderr` the last 64 KiB. */
export type ProgramResult = {
  readonly stdout: string
  readonly stderr: string
  readonly durationMs: number
}

/**
 * A program that did not do its part. `reason` says how: it did not start, took longer than its timeout, exited with
 * another code than 0 or by a signal, wrote more than 16 MiB, wrote text that is not UTF-8, or was stopped because the
 * run ends.
 */
export class ProgramFailure extends Error {
  override readonly name = 'ProgramFailure'
  readonly reason: 'spawn' | 'timeout' | 'exit' | 'too_large' | 'not_utf8' | 'stopped'
  readonly stderr: string

  constructor(reason: ProgramFailure['reason'], message: string, stderr: string, options?: ErrorOptions) {
    super(message, options)
    this.reason = reason
    this.stderr = stderr
  }
}

/** Runs programs. Each is in a process group of its own, which is killed with all its children when the call ends. */
export type Programs = {
  readonly run: (call: ProgramCall, signal: AbortSignal) => Promise<ProgramResult>
}
