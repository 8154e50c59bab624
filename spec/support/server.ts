import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

export type RunningServer = {
  readonly url: string
  readonly token: string
  readonly dataDir: string
  readonly process: ChildProcess
  /** Log lines so far, parsed. */
  readonly log: ReadonlyArray<Record<string, unknown>>
  /** Stops it as an interrupt would; the directory goes unless it is kept. */
  readonly stop: (options?: { readonly keep?: boolean }) => Promise<number | null>
  /** Kills it without a word (SIGKILL); the directory stays. */
  readonly kill: () => Promise<void>
}

type Options = { readonly env?: Readonly<Record<string, string>>; readonly dataDir?: string }

const PROGRAM = fileURLToPath(new URL('../../cli/ers.ts', import.meta.url))
const TOKEN = 'spec-admin-token'

/** The real program as a process of its own, on a free port and a fresh state directory. */
export const startServer = async ({ env = {}, dataDir = mkdtempSync(join(tmpdir(), 'ers-spec-')) }: Options = {}): Promise<RunningServer> => {
  const child = spawn(process.execPath, [PROGRAM, 'serve', '--port', '0', '--data-dir', dataDir], {
    env: { PATH: process.env['PATH'], SERVICE_TOKENS: `admin:${TOKEN},write:spec-write-token,read:spec-read-token`, ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const log: Array<Record<string, unknown>> = []
  const exited = new Promise<number | null>((resolve) => child.once('exit', (code) => resolve(code)))
  const port = await new Promise<number>((resolve, reject) => {
    createInterface({ input: child.stderr }).on('line', (line) => {
      const entry = line.startsWith('{') ? (JSON.parse(line) as Record<string, unknown>) : { msg: line }
      log.push(entry)
      if (entry['msg'] === 'listening') resolve(Number(entry['port']))
    })
    void exited.then((code) => reject(new Error(`the server ended with code ${code}: ${JSON.stringify(log.slice(-3))}`)))
  })
  return {
    url: `http://127.0.0.1:${port}`,
    token: TOKEN,
    dataDir,
    process: child,
    log,
    stop: async ({ keep = false } = {}) => {
      child.kill('SIGTERM')
      const code = await exited
      if (!keep) rmSync(dataDir, { recursive: true, force: true })
      return code
    },
    kill: async () => {
      child.kill('SIGKILL')
      await exited
    },
  }
}
