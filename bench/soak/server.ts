import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { ALLOCATOR } from '../../cli/bootstrap.mjs'

const PROGRAM = fileURLToPath(new URL('../../cli/ers.ts', import.meta.url))
const PROBE = fileURLToPath(new URL('probe.ts', import.meta.url))
const TOKEN = 'soak-token'

/**
 * What the process tells of itself: blocks of the main thread since the last time; of all its threads, prepared
 * statements and what JavaScript holds.
 */
export type Probed = {
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
  /** Whether it still runs. */
  readonly isAlive: () => boolean
  /** Resident memory in MiB, now and the highest since `forgetPeak`, and open file descriptors. */
  readonly usage: () => { readonly resident: number; readonly peak: number; readonly handles: number }
  /** Begins the peak of `usage` anew. */
  readonly forgetPeak: () => void
  /** Asks the process about itself; only of a server started with `probe`. */
  readonly probe: () => Promise<Probed>
  /** Lines of its log that tell of a failure. */
  readonly failures: readonly string[]
  readonly stop: () => Promise<number | null>
  readonly kill: () => Promise<void>
}

type Options = {
  readonly dataDir?: string
  readonly probe?: boolean
  /** A program to run it under, with its arguments. */
  readonly under?: readonly string[]
  /** More variables of its environment. */
  readonly env?: Readonly<Record<string, string>>
}

/** Servers and temporary folders of this run: gone at its end, also where a measure failed. */
const servers = new Set<number>()
const folders: string[] = []
process.once('exit', () => {
  for (const pid of servers) process.kill(pid, 'SIGKILL')
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})
process.once('SIGINT', () => process.exit(130))

/** A folder of its own that goes with this process. */
export const temporaryFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'ers-soak-'))
  folders.push(folder)
  return folder
}

/** Runs a command of the service to its end, or until it is killed. */
export const runErs = (
  args: readonly string[],
  onStart: (child: ChildProcess) => void = () => {},
): Promise<{ code: number | null; text: string }> =>
  new Promise((resolve) => {
    const child = spawn(process.execPath, [PROGRAM, ...args], { stdio: ['ignore', 'pipe', 'pipe'] })
    let text = ''
    child.stdout.on('data', (chunk: Buffer) => (text += chunk.toString()))
    child.stderr.on('data', (chunk: Buffer) => (text += chunk.toString()))
    child.once('close', (code) => resolve({ code, text }))
    onStart(child)
  })

/** Starts the service as a process of its own, on a fresh directory unless one is given. */
export const startSoakServer = async ({
  dataDir = temporaryFolder(),
  probe = false,
  under = [],
  env = {},
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
      const level = Number(/"level":(\d+)/.exec(line)?.[1] ?? 0)
      if (level >= 50 && !line.includes('storage unavailable')) failures.push(line)
      const port = line.includes('"msg":"listening"') ? /"port":(\d+)/.exec(line)?.[1] : undefined
      if (port) resolve(Number(port))
    }
    if (child.stderr) createInterface({ input: child.stderr }).on('line', onLine)
    void exited.then((code) => reject(new Error(`the server ended with ${code}: ${last}`)))
  })
  // Not the child's own: that may be the program it runs under.
  const holder = join(dataDir, 'holder.json')
  const pid = existsSync(holder) ? (JSON.parse(readFileSync(holder, 'utf8')) as { pid: number }).pid : child.pid
  if (pid === undefined) throw new Error('the server has no process id')
  servers.add(pid)
  void exited.then(() => servers.delete(pid))
  const status = (field: string): number =>
    Number(new RegExp(`${field}:\\s+(\\d+)`).exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024
  let highest = 0
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
      peak: samples ? Math.max(highest, status('VmRSS')) : status('VmHWM'),
      handles: readdirSync(`/proc/${pid}/fd`).length,
    }),
    forgetPeak: () => {
      highest = 0
      clearInterval(samples)
      samples = setInterval(() => {
        if (isAlive()) highest = Math.max(highest, status('VmRSS'))
      }, 20).unref()
    },
    probe: () =>
      new Promise((resolve) => {
        child.once('message', (told) => resolve(told as Probed))
        child.send('tell')
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
