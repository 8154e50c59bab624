import { mkdirSync, readdirSync, rmSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const PREFIX = 'ers-specs-'

/**
 * Memory where there is room, else the disk: there a commit waits for the disk, and making a database from a template
 * takes twelve times as long.
 */
export const quickFolder = (): string => {
  try {
    const { bavail, bsize } = statfsSync('/dev/shm')
    return bavail * bsize > 4 * 2 ** 30 ? '/dev/shm' : tmpdir()
  } catch {
    return tmpdir()
  }
}

/** The folder for all temporary files of one run of specifications. */
export const folderOfRun = (quick = quickFolder()): string => join(quick, `${PREFIX}${process.pid}`)

const isRunning = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}

/** Makes the folder of this run, and removes those that killed runs left. What it returns removes the folder. */
export const setup = (): (() => void) => {
  const quick = quickFolder()
  const left = readdirSync(quick).filter(
    (name) => name.startsWith(PREFIX) && !isRunning(Number(name.slice(PREFIX.length))),
  )
  for (const name of left) rmSync(join(quick, name), { recursive: true, force: true })
  const folder = folderOfRun(quick)
  mkdirSync(folder, { recursive: true })
  return () => rmSync(folder, { recursive: true, force: true })
}
