import { mkdirSync, readdirSync, rmSync, statfsSync } from 'node:fs'
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

/** Creates the folder of this run, and deletes folders of killed runs. Returns a function that deletes the folder. */
export const setup = (): (() => void) => {
  const quick = quickFolder()
  const abandoned = readdirSync(quick).filter(
    (name) => name.startsWith(PREFIX) && !isRunning(Number(name.slice(PREFIX.length))),
  )
  for (const name of abandoned) rmSync(join(quick, name), { recursive: true, force: true })
  const folder = folderOfRun(quick)
  mkdirSync(folder, { recursive: true })
  return () => rmSync(folder, { recursive: true, force: true })
}
