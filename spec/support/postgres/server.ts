import { execFileSync, spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer, Socket } from 'node:net'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { createInterface } from 'node:readline'
import { findPrograms } from './programs.ts'
import type { Programs } from './programs.ts'
import { quickFolder } from '../quick-folder.ts'

export type PostgresServer = {
  readonly major: number
  /** The directory of its socket. */
  readonly socketDir: string
  /** Its port on 127.0.0.1, and in the name of the socket. */
  readonly port: number
  /** The URL of a database for a role, through TCP; both are the superuser's unless told. */
  readonly url: (database?: string, role?: string) => string
  /**
   * Ends it as asked (`immediate` is a crash: what was not synced is recovered from its journal) and keeps its data.
   */
  readonly halt: (how?: 'fast' | 'immediate') => Promise<void>
  /** Starts it again on the same port, with what it had. */
  readonly resume: () => Promise<void>
  /** Ends it, and removes all of it. */
  readonly stop: () => Promise<void>
}

export type ServerOptions = {
  readonly programs?: Programs
  /**
   * Whether what it acknowledges survives a crash of the machine; specifications want speed. A crash of the server
   * alone loses nothing either way.
   */
  readonly durable?: boolean
  /** More lines of `postgresql.conf`. */
  readonly settings?: Readonly<Record<string, string>>
  /** Who may connect, as lines of `pg_hba.conf`; all, unless told. */
  readonly access?: readonly string[]
  /**
   * A server that this one follows as a hot standby, over a stream; it is stopped for as long as its data is copied.
   */
  readonly standbyOf?: PostgresServer
  /** Files to put beside its data, by name, readable by nobody else: keys and certificates. */
  readonly files?: Readonly<Record<string, string>>
}

const SUPERUSER = 'postgres'

/** PostgreSQL refuses to run as root; then nobody runs it. */
const NOBODY = { uid: 65_534, gid: 65_534 }
const isRoot = process.getuid?.() === 0

// The watch outlives us: its input ends when we do, however we do, and it takes the server and its data along. A word
// keeps the data. Asked again and again, since a server that has only begun to start ignores it.
const WATCH = `
"$@" &
server=$!
exec >&- 2>&-
word=
read -r word
case $word in *immediate) signal=QUIT;; *) signal=INT;; esac
while kill -$signal $server; do sleep 0.05; done
wait
case $word in keep*) ;; *) rm -rf "$ERS_SPEC_POSTGRES";; esac
`

/**
 * A PostgreSQL of its own in a temporary folder: trusting, on a socket and on a free port of 127.0.0.1. It ends, and
 * its folder goes, with `stop` or with this process. Throws with its log when it cannot start.
 */
export const startPostgres = async ({
  programs = findPrograms(),
  durable = false,
  settings = {},
  access,
  files = {},
  standbyOf,
}: ServerOptions = {}): Promise<PostgresServer> => {
  const folder = mkdtempSync(join(durable ? tmpdir() : quickFolder(), 'ers-pg-'))
  if (isRoot) chownSync(folder, NOBODY.uid, NOBODY.gid)
  let running: ChildProcess | null = null
  // While nothing runs nobody watches.
  const forget = (): void => (running ? undefined : rmSync(folder, { recursive: true, force: true }))
  process.on('exit', forget)
  try {
    const bin = usable(programs, folder)
    const data = join(folder, 'data')
    if (standbyOf) await copyOf(standbyOf, data)
    else
      run(
        join(bin, 'initdb'),
        [
          '-D',
          data,
          '-U',
          SUPERUSER,
          '-A',
          'trust',
          '-E',
          'UTF8',
          '--locale=C.UTF-8',
          '--no-sync',
          '--no-instructions',
        ],
        folder,
      )
    const put = (name: string, text: string): void => {
      const path = join(data, name)
      writeFileSync(path, text, { mode: 0o600 })
      if (isRoot) chownSync(path, NOBODY.uid, NOBODY.gid)
    }
    for (const [name, text] of Object.entries(files)) put(name, text)
    if (standbyOf) put('standby.signal', '')
    if (access) put('pg_hba.conf', `${access.join('\n')}\n`)
    const port = await freePort()
    // Commits still wait for their journal to be written, so that a crash of the server loses none.
    const fast = { fsync: 'off', full_page_writes: 'off' }
    const conf = {
      listen_addresses: '127.0.0.1',
      port: String(port),
      unix_socket_directories: folder,
      max_connections: '200',
      // A vacuum in between would make plans and times differ from run to run.
      autovacuum: 'off',
      ...(durable ? {} : fast),
      ...(standbyOf
        ? {
            primary_conninfo: `host=127.0.0.1 port=${standbyOf.port} user=${SUPERUSER}`,
            wal_retrieve_retry_interval: '200ms',
          }
        : {}),
      ...settings,
    }
    put(
      'postgresql.conf',
      Object.entries(conf)
        .map(([name, value]) => `${name} = '${value.replaceAll("'", "''")}'\n`)
        .join(''),
    )

    running = await watched(join(bin, 'postgres'), data, folder)
    const end = async (word: string): Promise<void> => {
      const child = running
      running = null
      if (!child) return
      child.ref()
      const ended = once(child, 'exit')
      child.stdin?.end(`${word}\n`)
      await ended
    }
    return {
      major: programs.major,
      socketDir: folder,
      port,
      url: (database = 'postgres', role = SUPERUSER) => `postgresql://${role}@127.0.0.1:${port}/${database}`,
      halt: (how = 'fast') => end(`keep ${how}`),
      resume: async () => {
        running ??= await watched(join(bin, 'postgres'), data, folder)
      },
      stop: async () => {
        await end('remove immediate')
        process.off('exit', forget)
        rmSync(folder, { recursive: true, force: true })
      },
    }
  } catch (error) {
    process.off('exit', forget)
    rmSync(folder, { recursive: true, force: true })
    throw error
  }
}

const asNobody = isRoot ? NOBODY : {}

const run = (program: string, args: readonly string[], cwd: string): void => {
  try {
    execFileSync(program, args, { ...asNobody, cwd, stdio: 'pipe' })
  } catch (cause) {
    const said = cause instanceof Error && 'stderr' in cause ? String(cause.stderr) : String(cause)
    throw new Error(`${program} failed: ${said}`, { cause })
  }
}

/** A copy of another server's data, taken while it is stopped. */
const copyOf = async (other: PostgresServer, data: string): Promise<void> => {
  await other.halt()
  try {
    run('cp', ['-a', join(other.socketDir, 'data'), data], '/')
  } finally {
    await other.resume()
  }
}

/** Starts it under its watch, and waits until it takes connections. */
const watched = async (program: string, data: string, folder: string): Promise<ChildProcess> => {
  // A session of its own: what a terminal sends us on an interrupt would end the watch before its work.
  const child = spawn('/bin/sh', ['-c', WATCH, 'watch', program, '-D', data], {
    ...asNobody,
    cwd: folder,
    detached: true,
    env: { PATH: process.env['PATH'], ERS_SPEC_POSTGRES: folder },
    stdio: ['pipe', 'ignore', 'pipe'],
  })
  const log: string[] = []
  const isUp = await new Promise<boolean>((resolve, reject) => {
    const lines = createInterface({ input: child.stderr })
    lines.on('line', (line) => {
      // What it says later is not kept: a long run would fill the memory.
      if (log.length < 200) log.push(line)
      if (/database system is ready to accept (?:read-only )?connections/.test(line)) resolve(true)
    })
    lines.once('close', () => resolve(false))
    child.once('error', reject)
  })
  if (!isUp) {
    child.stdin.end('keep\n')
    throw new Error(`PostgreSQL did not start:\n${log.join('\n')}`)
  }
  // Neither its log nor its watch keeps us from ending.
  child.unref()
  for (const stream of [child.stdin, child.stderr]) if (stream instanceof Socket) stream.unref()
  return child
}

/**
 * The folder of programs that whoever runs PostgreSQL can run: the carried ones are copied when they lie where that
 * user may not go.
 */
const usable = ({ bin, carried }: Programs, folder: string): string => {
  if (!carried) return bin
  let native = dirname(bin)
  try {
    link(native)
    execFileSync(join(bin, 'postgres'), ['--version'], { ...asNobody, cwd: folder, stdio: 'pipe' })
  } catch {
    native = join(folder, 'native')
    cpSync(dirname(bin), native, { recursive: true, verbatimSymlinks: true })
    link(native)
  }
  return join(native, 'bin')
}

/** Packages of npm cannot hold links: a list tells which its libraries want, since install scripts may be off. */
const link = (native: string): void => {
  const links = JSON.parse(readFileSync(join(native, 'pg-symlinks.json'), 'utf8')) as ReadonlyArray<{
    source: string
    target: string
  }>
  for (const { source, target } of links) {
    try {
      symlinkSync(relative(dirname(target), source), join(native, relative('native', target)))
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
    }
  }
}

const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}
