import { spawn, type ChildProcess } from 'node:child_process'
import { buffer, text } from 'node:stream/consumers'
import { bareEnvironment } from '../bare-environment.ts'
import { PROGRAM } from './program.ts'

/** How a run of the program ended. `code` is null after a signal. */
export type Ran = { readonly code: number | null; readonly stdout: string; readonly stderr: string }

type Place = {
  readonly cwd?: string
  readonly env?: Readonly<Record<string, string>>
  /** Its standard input; without it, the program has none. */
  readonly input?: string | Buffer
  /** Receives the process at once, for example to send it a signal later. */
  readonly started?: (child: ChildProcess) => void
}

/** Runs `ers` as `runErs` does, and returns its standard output as bytes. */
export const runErsBytes = async (
  args: readonly string[],
  { cwd, env = {}, input, started }: Place = {},
): Promise<Omit<Ran, 'stdout'> & { readonly stdout: Buffer }> => {
  const child = spawn(process.execPath, [PROGRAM, ...args], {
    cwd,
    env: { ...bareEnvironment(), ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  started?.(child)
  // A command that rejects its arguments reads no input.
  child.stdin.on('error', () => {})
  child.stdin.end(input)
  const ended = new Promise<number | null>((resolve, reject) => void child.on('close', resolve).on('error', reject))
  const [stdout, stderr, code] = await Promise.all([buffer(child.stdout), text(child.stderr), ended])
  return { code, stdout, stderr }
}

/** Runs `ers` in a folder to its end, with an environment of nothing but `env` and what every program needs. */
export const runErs = async (args: readonly string[], place: Place = {}): Promise<Ran> => {
  const { code, stdout, stderr } = await runErsBytes(args, place)
  return { code, stdout: stdout.toString(), stderr }
}
