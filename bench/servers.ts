import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

export type Server = {
  readonly name: 'service' | 'floor'
  readonly url: string
  readonly dataDir: string
  readonly headers: Readonly<Record<string, string>>
  /** CPU seconds that all threads of the process have used so far. */
  readonly cpu: () => number
  /** Resident memory in MiB: the current value, and the maximum so far. */
  readonly memory: () => { readonly now: number; readonly peak: number }
  readonly stop: () => Promise<void>
}

const TICKS_PER_SECOND = 100

const PROGRAMS = {
  service: (dataDir: string) => [
    fileURLToPath(new URL('../cli/ers.ts', import.meta.url)),
    'serve',
    '--port',
    '0',
    '--data-dir',
    dataDir,
  ],
  floor: (dataDir: string) => [fileURLToPath(new URL('floor/server.ts', import.meta.url)), dataDir, '0'],
} as const

/**
 * Starts the service or the reference server as a separate process, with `env` added to its environment. Uses a new
 * directory unless one is given.
 */
export const startBenchServer = async (
  name: Server['name'],
  existingDir?: string,
  env: Readonly<Record<string, string>> = {},
): Promise<Server> => {
  const dataDir = existingDir ?? mkdtempSync(join(tmpdir(), `ers-bench-${name}-`))
  const child = spawn(process.execPath, PROGRAMS[name](dataDir), {
    env: {
      PATH: process.env['PATH'],
      SERVICE_TOKENS: 'admin:bench,read:reader',
      NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
      ...env,
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const port = await new Promise<number>((resolve, reject) => {
    const lines: string[] = []
    createInterface({ input: child.stderr }).on('line', (line) => {
      lines.push(line)
      const port = /"msg":"listening"/.test(line) ? /"port":(\d+)/.exec(line)?.[1] : undefined
      if (port) resolve(Number(port))
    })
    child.once('exit', (code) => reject(new Error(`${name} ended with ${code}: ${lines.slice(-3).join('\n')}`)))
  })
  const status = (field: string): number =>
    Number(new RegExp(`${field}:\\s+(\\d+)`).exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1]) / 1024
  return {
    name,
    url: `http://127.0.0.1:${port}`,
    dataDir,
    headers: { authorization: 'Bearer bench', 'content-type': 'application/json' },
    cpu: () => {
      const fields = readFileSync(`/proc/${child.pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
      return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND
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
