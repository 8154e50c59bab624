import { execFileSync, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { createInterface } from 'node:readline'
import { findPrograms, type Programs } from './programs.ts'
import { quickFolder, sharedFolder } from '../quick-folder.ts'
import { nextFreePort } from '../servers/next-free-port.ts'

export type PostgresServer = {
  readonly major: number
  /** The directory of its socket. */
  readonly socketDir: string
  /** Its port on 127.0.0.1, also part of the socket name. */
  readonly port: number
  /** The TCP URL of a database for a role; both default to the superuser's. */
  readonly url: (database?: string, role?: string) => string
  /** Stops it (`immediate` is a crash: data that was not synced is recovered from its journal) and keeps its data. */
  readonly halt: (how?: 'fast' | 'immediate') => Promise<void>
  /** Starts it again on the same port with its data. */
  readonly resume: () => Promise<void>
  /** Stops it and deletes its data. */
  readonly stop: () => Promise<void>
}

export type ServerOptions = {
  readonly programs?: Programs
  /**
   * Whether acknowledged commits survive a crash of the machine. Off by default, because specs need speed. A crash of
   * the server alone never loses a commit.
   */
  readonly durable?: boolean
  /** More lines of `postgresql.conf`. */
  readonly settings?: Readonly<Record<string, string>>
  /** Who may connect, as lines of `pg_hba.conf`; everyone by default. */
  readonly access?: readonly string[]
  /** A server that this one follows as a hot standby by streaming; it is stopped while its data is copied. */
  readonly standbyOf?: PostgresServer
  /** Files to put next to its data, by name, readable only by its user: keys and certificates. */
  readonly files?: Readonly<Record<string, string>>
}

const SUPERUSER = 'postgres'

/** PostgreSQL refuses to run as root. If this process runs as root, the user nobody runs PostgreSQL. */
const NOBODY = { uid: 65_534, gid: 65_534 }
const isRoot = process.getuid?.() === 0

// The watch outlives this process. Its input ends when this process ends in any way. Then the watch stops the server
// and deletes its data. If the input is a line that starts with `keep`, the watch keeps the data. It sends the signal
// repeatedly, because a server that is just starting ignores it.
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
 * Starts a separate PostgreSQL in a temporary folder: without passwords, on a socket and on a free port of 127.0.0.1.
 * `stop` or the end of this process stops it and deletes its folder. Throws with its log when it cannot start.
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
  // While no server runs, there is no watch that would delete the folder.
  const deleteFolder = (): void => (running ? undefined : rmSync(folder, { recursive: true, force: true }))
  process.on('exit', deleteFolder)
  try {
    const bin = usablePrograms(programs)
    const data = join(folder, 'data')
    if (standbyOf) await copyData(standbyOf, data)
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
    const port = await nextFreePort()
    // Commits still wait until their journal is written, so that a crash of the server loses none.
    const fast = { fsync: 'off', full_page_writes: 'off' }
    const conf = {
      listen_addresses: '127.0.0.1',
      port: String(port),
      unix_socket_directories: folder,
      max_connections: '200',
      // A vacuum between runs would change plans and times.
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

    running = await startWatched(join(bin, 'postgres'), data, folder)
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
        running ??= await startWatched(join(bin, 'postgres'), data, folder)
      },
      stop: async () => {
        await end('remove immediate')
        process.off('exit', deleteFolder)
        rmSync(folder, { recursive: true, force: true })
      },
    }
  } catch (error) {
    process.off('exit', deleteFolder)
    rmSync(folder, { recursive: true, force: true })
    throw error
  }
}

const asServerUser = isRoot ? NOBODY : {}

const run = (program: string, args: readonly string[], cwd: string): void => {
  try {
    execFileSync(program, args, { ...asServerUser, cwd, stdio: 'pipe' })
  } catch (cause) {
    const output = cause instanceof Error && 'stderr' in cause ? String(cause.stderr) : String(cause)
    throw new Error(`${program} failed: ${output}`, { cause })
  }
}

/** Copies the data of another server, which is stopped meanwhile. */
const copyData = async (other: PostgresServer, data: string): Promise<void> => {
  await other.halt()
  try {
    run('cp', ['-a', join(other.socketDir, 'data'), data], '/')
  } finally {
    await other.resume()
  }
}

/** Starts the server under its watch, and waits until it accepts connections. */
const startWatched = async (program: string, data: string, folder: string): Promise<ChildProcess> => {
  // The watch runs in a separate session, because an interrupt from the terminal would end it too early.
  const child = spawn('/bin/sh', ['-c', WATCH, 'watch', program, '-D', data], {
    ...asServerUser,
    cwd: folder,
    detached: true,
    env: { PATH: process.env['PATH'], ERS_SPEC_POSTGRES: folder },
    stdio: ['pipe', 'ignore', 'pipe'],
  })
  const log: string[] = []
  const isUp = await new Promise<boolean>((resolve, reject) => {
    const lines = createInterface({ input: child.stderr })
    lines.on('line', (line) => {
      // Later lines are dropped, because those of a long run would fill the memory.
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
  // Neither its log nor its watch keeps this process alive.
  child.unref()
  for (const stream of [child.stdin, child.stderr]) if (stream instanceof Socket) stream.unref()
  return child
}

/**
 * Returns a folder of programs that the server's user can run. The bundled programs are copied if that user cannot
 * reach them, as in the home folder of root: once for all servers of a run.
 */
const usablePrograms = ({ bin, isBundled, major }: Programs): string => {
  if (!isBundled) return bin
  const native = dirname(bin)
  try {
    createLinks(native)
    execFileSync(join(bin, 'postgres'), ['--version'], { ...asServerUser, cwd: '/', stdio: 'pipe' })
    return bin
  } catch {
    const copy = join(sharedFolder(), `postgres-${major}`)
    if (!existsSync(copy)) {
      mkdirSync(sharedFolder(), { recursive: true })
      const partial = mkdtempSync(join(sharedFolder(), 'partial-'))
      chmodSync(partial, 0o755)
      cpSync(native, partial, { recursive: true, verbatimSymlinks: true })
      createLinks(partial)
      renameSync(partial, copy)
    }
    return join(copy, 'bin')
  }
}

/**
 * Creates the links that the libraries need, from a list in the package: npm packages cannot contain links, and install
 * scripts may be off.
 */
const createLinks = (native: string): void => {
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
