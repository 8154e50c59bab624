import { spawn, type ChildProcess } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { bareEnvironment } from '../bare-environment.ts'
import { freshDatabase } from '../stores/fresh-database.ts'
import type { FreshDatabase } from '../postgres/databases.ts'
import { PROGRAM } from './program.ts'

export type RunningServer = {
  readonly url: string
  readonly token: string
  readonly dataDir: string
  /** The database of its state directory; null on SQLite. */
  readonly database: FreshDatabase | null
  readonly process: ChildProcess
  /** Parsed log lines so far. */
  readonly log: ReadonlyArray<Record<string, unknown>>
  /** Stops it as an interrupt would; deletes the directory unless `keep` is set. */
  readonly stop: (options?: { readonly keep?: boolean }) => Promise<number | null>
  /** Kills it with SIGKILL; the directory stays. */
  readonly kill: () => Promise<void>
}

type Options = {
  readonly env?: Readonly<Record<string, string>>
  readonly dataDir?: string
  readonly port?: number
  readonly program?: string
}

const TOKEN = 'spec-admin-token'

/** Databases by state directory, so that a server that starts again on a directory finds its data. */
const databases = new Map<string, FreshDatabase>()

/** Returns the database of a state directory, and creates it at the first call; null on SQLite. */
const databaseOf = async (dataDir: string): Promise<FreshDatabase | null> => {
  if (process.env['SPEC_STORAGE'] !== 'postgres') return null
  const database = databases.get(dataDir) ?? (await freshDatabase())
  databases.set(dataDir, database)
  return database
}

/**
 * Starts the real program as a process, by default on a free port, a fresh state directory and the storage of this run.
 */
export const startServer = async ({
  env = {},
  dataDir = mkdtempSync(join(tmpdir(), 'ers-spec-')),
  port: requestedPort = 0,
  program = PROGRAM,
}: Options = {}): Promise<RunningServer> => {
  const database = await databaseOf(dataDir)
  const child = spawn(process.execPath, [program, 'serve', '--port', String(requestedPort), '--data-dir', dataDir], {
    env: {
      ...bareEnvironment(),
      SERVICE_TOKENS: `admin:${TOKEN},write:spec-write-token,read:spec-read-token`,
      ...(database ? { SERVICE_DATABASE_URL: database.appUrl } : {}),
      ...env,
    },
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
    void exited.then((code) =>
      reject(new Error(`the server ended with code ${code}: ${JSON.stringify(log.slice(-3))}`)),
    )
  })
  return {
    url: `http://127.0.0.1:${port}`,
    token: TOKEN,
    dataDir,
    database,
    process: child,
    log,
    stop: async ({ keep = false } = {}) => {
      child.kill('SIGTERM')
      const code = await exited
      if (!keep) {
        rmSync(dataDir, { recursive: true, force: true })
        databases.delete(dataDir)
        await database?.close()
      }
      return code
    },
    kill: async () => {
      child.kill('SIGKILL')
      await exited
    },
  }
}
