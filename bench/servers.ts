import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { ALLOCATOR } from '../cli/bootstrap/relay.mjs'

export type Server = {
  readonly name: 'service' | 'floor' | 'peer'
  readonly url: string
  readonly dataDir: string
  readonly headers: Readonly<Record<string, string>>
  /** Milliseconds from the start of the process to its first answer. */
  readonly startMs: number
  /** CPU seconds that all living threads of the process have used so far. */
  readonly cpu: () => number
  /** Resident memory in MiB: the current value, and the maximum so far. */
  readonly memory: () => { readonly now: number; readonly peak: number }
  readonly stop: () => Promise<void>
}

/**
 * A program of the same HTTP interface to compare with: a command that takes a data directory and a port. It must read
 * the tokens from `SERVICE_TOKENS`.
 */
export const PEER = process.env['BENCH_PEER']

/** The entry of the service: `BENCH_SERVICE` names another one, for example that of another checkout. */
export const SERVICE = process.env['BENCH_SERVICE'] ?? fileURLToPath(new URL('../cli/ers.ts', import.meta.url))

const PROGRAMS = {
  service: (dataDir: string, port: number, program: string) => [
    process.execPath,
    program,
    'serve',
    '--port',
    String(port),
    '--data-dir',
    dataDir,
  ],
  floor: (dataDir: string, port: number) => [
    process.execPath,
    fileURLToPath(new URL('floor/server.ts', import.meta.url)),
    dataDir,
    String(port),
  ],
  peer: (dataDir: string, port: number) => [PEER ?? '', dataDir, String(port)],
} as const

/** A port that no program uses now. */
const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  return typeof address === 'object' && address !== null ? address.port : 0
}

/**
 * Starts the service, the reference server or the peer as a separate process, with `env` added to its environment, and the
 * service with the allocator of `npm start`. Uses a new directory unless one is given. `program` is another entry of the service.
 */
export const startBenchServer = async (
  name: Server['name'],
  existingDir?: string,
  env: Readonly<Record<string, string>> = {},
  program = SERVICE,
): Promise<Server> => {
  const dataDir = existingDir ?? mkdtempSync(join(tmpdir(), `ers-bench-${name}-`))
  const port = await freePort()
  const [command = '', ...args] = PROGRAMS[name](dataDir, port, program)
  const from = performance.now()
  const child = spawn(command, args, {
    env: {
      ...(name === 'service' ? ALLOCATOR : {}),
      PATH: process.env['PATH'],
      SERVICE_TOKENS: 'admin:bench,read:reader',
      NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
      ...env,
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const lines: string[] = []
  createInterface({ input: child.stderr }).on('line', (line) => {
    lines.push(line)
    if (lines.length > 3) lines.shift()
  })
  await isHealthy(port, () => {
    if (child.exitCode !== null) throw new Error(`${name} ended with ${child.exitCode}: ${lines.join('\n')}`)
  })
  const startMs = performance.now() - from
  const status = (field: string): number =>
    Number(new RegExp(`${field}:\\s+(\\d+)`).exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1]) / 1024
  return {
    name,
    url: `http://127.0.0.1:${port}`,
    dataDir,
    headers: { authorization: 'Bearer bench', 'content-type': 'application/json' },
    startMs,
    cpu: () => {
      const tasks = `/proc/${child.pid}/task`
      const nanoseconds = readdirSync(tasks).map((task) =>
        Number(readFileSync(join(tasks, task, 'schedstat'), 'utf8').split(' ', 1)[0]),
      )
      return nanoseconds.reduce((sum, each) => sum + each, 0) / 1e9
    },
    memory: () => ({ now: status('VmRSS'), peak: status('VmHWM') }),
    stop: async () => {
      const exited = new Promise((resolve) => child.once('exit', resolve))
      child.kill('SIGTERM')
      await exited
      if (existingDir === undefined) rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

/** Waits until the server answers; `check` throws if it never will. */
const isHealthy = async (port: number, check: () => void): Promise<void> => {
  for (;;) {
    check()
    const answer = await fetch(`http://127.0.0.1:${port}/api/v1/health`).catch(() => null)
    await answer?.arrayBuffer()
    if (answer?.ok) return
    await wait(2)
  }
}
