import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'vitest'
import { nextFreePort } from '../servers/next-free-port.ts'

// PgBouncer in transaction mode, with its own defaults: each transaction may run in another session. A machine without
// PgBouncer cannot run this.

const PGBOUNCER = '/usr/sbin/pgbouncer'
/** Whether this machine has PgBouncer. */
export const isPoolerInstalled = existsSync(PGBOUNCER)
if (!isPoolerInstalled)
  console.warn(`NOT RUN: the service through a pooler needs ${PGBOUNCER} (apt-get install pgbouncer)`)

const UNPRIVILEGED = 65_534

const isListening = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => resolve(true)).once('error', () => resolve(false))
    socket.once('connect', () => socket.end())
  })

type Pooler = { readonly url: string; readonly stop: () => Promise<void> }

/** Starts a pooler in front of a database. */
export const startPooler = async (target: string): Promise<Pooler> => {
  const folder = mkdtempSync(join(tmpdir(), 'ers-pooler-'))
  const port = await nextFreePort()
  const { hostname, port: serverPort, username, pathname } = new URL(target)
  const file = join(folder, 'pgbouncer.ini')
  const database = `host=${hostname} port=${serverPort} dbname=${pathname.slice(1)} user=${username}`
  writeFileSync(
    file,
    `[databases]
pooled = ${database}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = 3
`,
  )
  // It refuses to run as root.
  const isRoot = process.getuid?.() === 0
  if (isRoot) for (const path of [folder, file]) chownSync(path, UNPRIVILEGED, UNPRIVILEGED)
  const child = spawn(PGBOUNCER, ['-q', file], {
    stdio: ['ignore', 'ignore', 'inherit'],
    ...(isRoot ? { uid: UNPRIVILEGED, gid: UNPRIVILEGED } : {}),
  })
  const exited = once(child, 'exit')
  await expect.poll(() => isListening(port)).toBe(true)
  return {
    url: `postgres://${username}@127.0.0.1:${port}/pooled`,
    stop: async () => {
      child.kill('SIGKILL')
      await exited
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
