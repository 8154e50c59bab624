import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import Database from 'better-sqlite3'
import { expect, it } from 'vitest'
import { bareEnvironment } from '../../support/bare-environment.ts'

const PROGRAM = fileURLToPath(new URL('../../../cli/ers.ts', import.meta.url))
const PATIENCE_MS = 60_000

it(
  'a stop while the cache opens ends the process in order, and no port is opened',
  async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'ers-stop-'))
    // The lock delays the thread that opens the cache.
    const lock = new Database(join(dataDir, 'cache.db'))
    lock.exec('BEGIN EXCLUSIVE')
    const messages: unknown[] = []
    const child = spawn(process.execPath, [PROGRAM, 'serve', '--port', '0', '--data-dir', dataDir], {
      env: { ...bareEnvironment(), SERVICE_TOKENS: 'admin:a-token-of-this-spec' },
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    const exited = new Promise<number | null>((resolve) => child.once('exit', resolve))
    createInterface({ input: child.stderr }).on('line', (line) =>
      messages.push((JSON.parse(line) as { msg: string }).msg),
    )
    const until = (condition: () => boolean): Promise<void> =>
      expect.poll(condition, { interval: 20, timeout: PATIENCE_MS / 2 }).toBe(true)

    await until(() => {
      try {
        const store = new Database(join(dataDir, 'service.db'), { readonly: true, fileMustExist: true })
        const count = store.prepare('SELECT count(*) FROM events').pluck().get()
        store.close()
        return Number(count) > 0
      } catch {
        // The tables do not exist yet.
        return false
      }
    })
    child.kill('SIGTERM')
    await until(() => messages.includes('shutting down'))
    lock.close()
    expect(await exited).toBe(0)
    expect(messages).toContain('stopped')
    expect(messages).not.toContain('listening')
    rmSync(dataDir, { recursive: true, force: true })
  },
  PATIENCE_MS,
)
