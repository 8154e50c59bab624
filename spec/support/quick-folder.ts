import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'

const PREFIX = 'ers-specs-'

/**
 * Returns a folder in memory if there is room, else on disk. On disk each commit waits for the disk, and copying a
 * template database takes twelve times as long.
 */
export const quickFolder = (): string => {
  try {
    const { bavail, bsize } = statfsSync('/dev/shm')
    return bavail * bsize > 4 * 2 ** 30 ? '/dev/shm' : tmpdir()
  } catch {
    return tmpdir()
  }
}

/** The folder for all temporary files of one run of the specs. */
export const folderOfRun = (quick = quickFolder()): string => join(quick, `${PREFIX}${process.pid}`)

/** The same folder, in the process that runs the specs and in those that it starts: for them it is the temporary folder. */
export const sharedFolder = (): string => (basename(tmpdir()).startsWith(PREFIX) ? tmpdir() : folderOfRun())

const isRunning = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}

/**
 * Ends the processes that failed specs left running: a program that runs the specs may wait for them as well. They
 * are recognised by their temporary folder, where the system shows it.
 */
const endLeftovers = (folder: string): void => {
  for (const pid of existsSync('/proc/self/environ') ? readdirSync('/proc').filter((name) => /^\d+$/.test(name)) : []) {
    try {
      const environment = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0')
      // The name before the state may contain spaces and parentheses.
      const [, parent] = readFileSync(`/proc/${pid}/stat`, 'utf8')
        .replace(/^.*\) /s, '')
        .split(' ')
      // Vitest ends its workers, which are the children of this process.
      const isWorker = Number(parent) === process.pid
      if (environment.includes(`TMPDIR=${folder}`) && !isWorker) process.kill(Number(pid), 'SIGKILL')
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? error.code : undefined
      // It has ended, or belongs to another user.
      if (!['ENOENT', 'ESRCH', 'EACCES', 'EPERM'].includes(String(code))) throw error
    }
  }
}

/**
 * Creates the folder of this run, and deletes folders of killed runs. Returns a function that ends what still uses the
 * folder, and deletes it.
 */
export const setup = (): (() => void) => {
  const quick = quickFolder()
  const abandoned = readdirSync(quick).filter(
    (name) => name.startsWith(PREFIX) && !isRunning(Number(name.slice(PREFIX.length))),
  )
  for (const name of abandoned) rmSync(join(quick, name), { recursive: true, force: true })
  const folder = folderOfRun(quick)
  mkdirSync(folder, { recursive: true })
  return () => {
    endLeftovers(folder)
    rmSync(folder, { recursive: true, force: true })
  }
}
