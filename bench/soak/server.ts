import { spawn, type ChildProcess } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { ALLOCATOR } from '../../cli/bootstrap/relay.mjs'

const PROGRAM = fileURLToPath(new URL('../../cli/ers.ts', import.meta.url))
const PROBE = fileURLToPath(new URL('probe.ts', import.meta.url))
const TOKEN = 'soak-token'

/**
 * A report of the server process. `longestBlockMs` is the longest block of the main thread since the last report. The
 * other values are totals of all threads: live prepared statements, statements prepared so far, and JavaScript memory.
 */
export type ProbeReport = {
  readonly longestBlockMs: number
  readonly statements: number
  readonly prepared: number
  readonly heapMib: number
}

export type SoakServer = {
  readonly url: string
  readonly token: string
  readonly headers: Readonly<Record<string, string>>
  readonly dataDir: string
  readonly process: ChildProcess
  readonly pid: number
  /** Whether the process is still running. */
  readonly isAlive: () => boolean
  /** Resident memory in MiB, its peak since `forgetPeak`, and the number of open file descriptors. */
  readonly usage: () => { readonly resident: number; readonly peak: number; readonly handles: number }
  /** Resets the peak of `usage`. */
  readonly forgetPeak: () => void
  /** Requests a report from the process, which must have been started with `probe`. `collect` collects garbage first. */
  readonly probe: (options?: { readonly collect?: boolean }) => Promise<ProbeReport>
  /** Lines of its log that report a failure. */
  readonly failures: readonly string[]
  readonly stop: () => Promise<number | null>
  readonly kill: () => Promise<void>
}

type Options = {
  readonly dataDir?: string
  readonly probe?: boolean
  /** A program with arguments that runs the server, such as strace. */
  readonly under?: readonly string[]
  /** Additional environment variables. */
  readonly env?: Readonly<Record<string, string>>
  /** Called with each line of its log. */
  readonly onLine?: (line: string) => void
}

/** Servers and temporary folders of this run. At its end they are killed and deleted, even if a measure failed. */
const servers = new Set<number>()
const folders: string[] = []
process.once('exit', () => {
  for (const pid of servers) process.kill(pid, 'SIGKILL')
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})
process.once('SIGINT', () => process.exit(130))

/** A new folder that is deleted when this process exits. */
export const temporaryFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'ers-soak-'))
  folders.push(folder)
  return folder
}

/** Runs a command of `ers` to its end, or until it is killed. */
export const runErs = (
  args: readonly string[],
  onStart: (child: ChildProcess) => void = () => {},
  env: Readonly<Record<string, string>> = {},
): Promise<{ code: number | null; text: string }> =>
  new Promise((resolve) => {
    const child = spawn(process.execPath, [PROGRAM, ...args], {
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let text = ''
    child.stdout.on('data', (chunk: Buffer) => (text += chunk.toString()))
    child.stderr.on('data', (chunk: Buffer) => (text += chunk.toString()))
    child.once('close', (code) => resolve({ code, text }))
    onStart(child)
  })

/**
 * Starts the service as a separate process, on a new directory unless one is given.
 */
export const startSoakServer = async ({
  dataDir = temporaryFolder(),
  probe = false,
  under = [],
  env = {},
  onLine: onLogLine = () => {},
}: Options = {}): Promise<SoakServer> => {
  const [command = '', ...args] = [
    ...under,
    process.execPath,
    ...(probe ? ['--import', PROBE] : []),
    PROGRAM,
    'serve',
    '--port',
    '0',
    '--data-dir',
    dataDir,
  ]
  const child = spawn(command, args, {
    env: { ...ALLOCATOR, PATH: process.env['PATH'], SERVICE_TOKENS: `admin:${TOKEN}`, ...env },
    stdio: ['ignore', 'ignore', 'pipe', ...(probe ? (['ipc'] as const) : [])],
  })
  const exited = new Promise<number | null>((resolve) => child.once('exit', (code) => resolve(code)))
  const failures: string[] = []
  const port = await new Promise<number>((resolve, reject) => {
    let last = ''
    const onLine = (line: string): void => {
      last = line
      onLogLine(line)
      const level = Number(/"level":(\d+)/.exec(line)?.[1] ?? 0)
      if (level >= 50 && !line.includes('storage unavailable')) failures.push(line)
      const port = line.includes('"msg":"listening"') ? /"port":(\d+)/.exec(line)?.[1] : undefined
      if (port) resolve(Number(port))
    }
    if (child.stderr) createInterface({ input: child.stderr }).on('line', onLine)
    void exited.then((code) => reject(new Error(`the server ended with ${code}: ${last}`)))
  })
  // The child's own process id may be that of the program in `under`.
  const holder = join(dataDir, 'holder.json')
  const pid = existsSync(holder) ? (JSON.parse(readFileSync(holder, 'utf8')) as { pid: number }).pid : child.pid
  if (pid === undefined) throw new Error('the server has no process id')
  servers.add(pid)
  void exited.then(() => servers.delete(pid))
  const status = (field: string): number =>
    Number(new RegExp(`${field}:\\s+(\\d+)`).exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024
  let peak = 0
  let samples: NodeJS.Timeout | undefined
  const isAlive = (): boolean => child.exitCode === null && child.signalCode === null
  return {
    url: `http://127.0.0.1:${port}`,
    token: TOKEN,
    headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' },
    dataDir,
    process: child,
    pid,
    isAlive,
    usage: () => ({
      resident: status('VmRSS'),
      peak: samples ? Math.max(peak, status('VmRSS')) : status('VmHWM'),
      handles: readdirSync(`/proc/${pid}/fd`).length,
    }),
    forgetPeak: () => {
      peak = 0
      clearInterval(samples)
      samples = setInterval(() => {
        if (isAlive()) peak = Math.max(peak, status('VmRSS'))
      }, 20).unref()
    },
    probe: ({ collect = false } = {}) =>
      new Promise((resolve) => {
        // The service itself sends the word "ready" once, which may arrive later than its line in the log.
        const onMessage = (message: unknown): void => {
          if (typeof message !== 'object') return
          child.off('message', onMessage)
          resolve(message as ProbeReport)
        }
        child.on('message', onMessage)
        child.send(collect ? 'collect' : 'report')
      }),
    failures,
    stop: async () => {
      clearInterval(samples)
      process.kill(pid, 'SIGTERM')
      return exited
    },
    kill: async () => {
      clearInterval(samples)
      process.kill(pid, 'SIGKILL')
      await exited
    },
  }
}
