import type { ChildProcess } from 'node:child_process'
import { resolve } from 'node:path'
import type { Ports } from '../ports.ts'
import { ProgramFailure, type ProgramCall, type ProgramResult, type Programs } from './program.ts'

const MAX_STDOUT_BYTES = 16 * 1024 * 1024
const MAX_STDERR_BYTES = 64 * 1024
/** How much of the end of stderr a message quotes. */
const MAX_QUOTED_CHARACTERS = 2000
/** How long the output that a program wrote before it exited may take to arrive, if a process still holds the pipe. */
const DRAIN_MS = 1000

type ProcessPorts = Pick<Ports, 'spawn' | 'monotonic' | 'sleep'>

/**
 * Runs programs without a shell, each in a process group of its own (on Windows: a process tree). The group is killed
 * when the program exits, at the timeout, when too much is written, on abort, and when this process exits. Nothing
 * waits for a child that left the group: what arrives a second after the exit is cut.
 */
export const createPrograms = (ports: ProcessPorts): Programs => ({
  run: (call, signal) => runProgram(ports, call, signal),
})

/** What a program gets of the environment: the members of `declared`, and the variables named in `passed`. */
type ProgramEnvironment = {
  readonly declared?: Readonly<Record<string, string>> | undefined
  readonly passed?: readonly string[] | undefined
}

/** Without these no program can be found or started. */
const ALWAYS_PASSED = {
  posix: ['PATH'],
  windows: ['PATH', 'SystemRoot', 'PATHEXT', 'ComSpec', 'TEMP', 'TMP'],
} as const

/**
 * The whole environment of a program: `SERVICE_PROTOCOL`, `PATH` (on Windows also what processes need to start there),
 * the passed variables that are set, then the declared ones.
 */
export const programEnvironment = (
  { declared = {}, passed = [] }: ProgramEnvironment,
  env: Ports['env'],
  platform: NodeJS.Platform = process.platform,
): Readonly<Record<string, string>> => {
  const result: Record<string, string> = {}
  const names = [...ALWAYS_PASSED[platform === 'win32' ? 'windows' : 'posix'], ...passed]
  for (const name of names) {
    const value = env[name]
    if (value !== undefined) result[name] = value
  }
  return { ...result, ...declared, SERVICE_PROTOCOL: '1' }
}

/** One program from its start to its end. Long, because the ways in which it can end share their state. */
const runProgram = async (ports: ProcessPorts, call: ProgramCall, signal: AbortSignal): Promise<ProgramResult> => {
  const [program = '', ...args] = call.command
  const name = `program \`${program}\``
  if (program === '') throw new ProgramFailure('spawn', 'the command is empty', '')
  if (signal.aborted) throw new ProgramFailure('stopped', `${name} was not started, because the run ends`, '')

  const started = ports.monotonic()
  const child = start(ports.spawn, call, program, args)
  const { pid } = child
  if (pid !== undefined) track(pid)
  const finished = new AbortController()
  const stdout: Buffer[] = []
  let stdoutBytes = 0
  const stderr = new LastBytes(MAX_STDERR_BYTES)
  const kill = () => {
    if (pid !== undefined) killGroup(ports.spawn, pid)
  }

  try {
    await new Promise<void>((done, reject) => {
      const fail = (reason: ProgramFailure['reason'], what: string, cause?: unknown) => {
        reject(failure(reason, `${name} ${what}`, stderr.text(), cause))
      }
      const afterSleep = (ms: number, then: () => void) => {
        ports.sleep(ms, finished.signal).then(then, (error: unknown) => {
          // The end of the call ends the sleep.
          if (!finished.signal.aborted) reject(error instanceof Error ? error : new Error(String(error)))
        })
      }

      child.once('error', (error: NodeJS.ErrnoException) => {
        if (pid === undefined) fail('spawn', `does not start in ${call.directory}: ${describeStart(error)}`, error)
        else fail('exit', `failed: ${error.message}`, error)
      })
      child.stdout?.on('data', (bytes: Buffer) => {
        stdoutBytes += bytes.length
        if (stdoutBytes > MAX_STDOUT_BYTES) fail('too_large', 'wrote more than 16 MiB to stdout')
        else stdout.push(bytes)
      })
      child.stderr?.on('data', (bytes: Buffer) => stderr.add(bytes))
      // A program may exit without reading its stdin. Its exit and its output show whether it did its part.
      child.stdin?.on('error', () => {})
      child.stdin?.end(call.stdin)

      child.once('exit', (code, exitSignal) => {
        const end = () => {
          if (exitSignal !== null) fail('exit', `was ended by signal ${exitSignal}`)
          else if (code !== 0) fail('exit', `exited with code ${code}`)
          else done()
        }
        kill()
        // Where no process holds the pipes, `close` comes first. The pipes are read once more after the sleep: this
        // process may have been too busy to read them before.
        child.once('close', end)
        afterSleep(DRAIN_MS, () => setImmediate(() => setImmediate(end)))
      })
      afterSleep(call.timeoutMs, () => fail('timeout', `took longer than ${call.timeoutMs} ms`))
      signal.addEventListener('abort', () => fail('stopped', 'was stopped, because the run ends'), {
        once: true,
        signal: finished.signal,
      })
    })
    return { stdout: utf8(stdout, name, stderr), stderr: stderr.text(), durationMs: ports.monotonic() - started }
  } finally {
    finished.abort('finished')
    if (child.exitCode === null && child.signalCode === null) kill()
    for (const stream of [child.stdin, child.stdout, child.stderr]) stream?.destroy()
    if (pid !== undefined) RUNNING.delete(pid)
  }
}

const start = (
  spawn: Ports['spawn'],
  { directory, env }: ProgramCall,
  program: string,
  args: readonly string[],
): ChildProcess => {
  // A bare name is searched in PATH; a path belongs to the folder of the suite.
  const file = /[/\\]/.test(program) ? resolve(directory, program) : program
  try {
    return spawn(file, args, {
      cwd: directory,
      env,
      stdio: ['pipe', 'pipe', 'pipe'],
      shell: false,
      windowsHide: true,
      // A process group of its own. On Windows it would open a console, and taskkill needs no group.
      detached: process.platform !== 'win32',
    })
  } catch (error) {
    // An argument with a NUL character, or a list of arguments that is too long.
    throw new ProgramFailure('spawn', `program \`${program}\` does not start: ${(error as Error).message}`, '', {
      cause: error,
    })
  }
}

const describeStart = (error: NodeJS.ErrnoException): string => {
  if (error.code === 'ENOENT') return 'the program or the folder does not exist'
  if (error.code === 'EACCES') return 'the file is not executable'
  return error.message
}

const failure = (reason: ProgramFailure['reason'], message: string, stderr: string, cause: unknown): ProgramFailure => {
  const quoted = stderr.trim()
  const end = quoted.length > MAX_QUOTED_CHARACTERS ? `…${quoted.slice(-MAX_QUOTED_CHARACTERS)}` : quoted
  return new ProgramFailure(reason, end === '' ? message : `${message}; stderr: ${end}`, stderr, { cause })
}

const utf8 = (chunks: readonly Buffer[], name: string, stderr: LastBytes): string => {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks))
  } catch (error) {
    throw failure('not_utf8', `${name} wrote text that is not UTF-8 to stdout`, stderr.text(), error)
  }
}

/** The groups that are running, killed when this process exits: a detached group would go on without it. */
const RUNNING = new Set<number>()
let exitHandled = false

const track = (pid: number): void => {
  RUNNING.add(pid)
  if (exitHandled || process.platform === 'win32') return
  exitHandled = true
  process.once('exit', () => {
    for (const group of RUNNING) signalGroup(group)
  })
}

const killGroup = (spawn: Ports['spawn'], pid: number): void => {
  if (process.platform !== 'win32') {
    signalGroup(pid)
    return
  }
  // taskkill fails if the tree is gone already: that is what is wanted.
  spawn('taskkill', ['/T', '/F', '/PID', String(pid)], { stdio: 'ignore', windowsHide: true }).once('error', () => {})
}

const signalGroup = (group: number): void => {
  try {
    process.kill(-group, 'SIGKILL')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    // No process of the group lives, or (macOS) only processes that ended already.
    if (code !== 'ESRCH' && code !== 'EPERM') throw error
  }
}

class LastBytes {
  readonly #max: number
  #chunks: Buffer[] = []
  #length = 0

  constructor(max: number) {
    this.#max = max
  }

  add(bytes: Buffer): void {
    this.#chunks.push(bytes)
    this.#length += bytes.length
    // Joined seldom, so that many small writes cost no quadratic time.
    if (this.#length > 2 * this.#max) {
      const last = Buffer.concat(this.#chunks).subarray(-this.#max)
      this.#chunks = [last]
      this.#length = last.length
    }
  }

  text(): string {
    const last = Buffer.concat(this.#chunks).subarray(-this.#max)
    // The first character may have been cut.
    return last.toString('utf8').replace(/^\uFFFD+/, '')
  }
}
