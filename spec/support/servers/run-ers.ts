import { spawn, type ChildProcess } from 'node:child_process'
import { text } from 'node:stream/consumers'
import { bareEnvironment } from '../bare-environment.ts'
import { PROGRAM } from './program.ts'

/** How a run of the program ended. `code` is null after a signal. */
export type Ran = { readonly code: number | null; readonly stdout: string; readonly stderr: string }

type Place = {
  readonly cwd: string
  readonly env?: Readonly<Record<string, string>>
  /** Receives the process at once, for example to send it a signal later. */
  readonly started?: (child: ChildProcess) => void
}

/** Runs `ers` in a folder to its end, with an environment of nothing but `env` and what every program needs. */
export const runErs = async (args: readonly string[], { cwd, env = {}, started }: Place): Promise<Ran> => {
  const child = spawn(process.execPath, [PROGRAM, ...args], {
    cwd,
    env: { ...bareEnvironment(), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  started?.(child)
  const ended = new Promise<number | null>((resolve, reject) => void child.on('close', resolve).on('error', reject))
  const [stdout, stderr, code] = await Promise.all([text(child.stdout), text(child.stderr), ended])
  return { code, stdout, stderr }
}
