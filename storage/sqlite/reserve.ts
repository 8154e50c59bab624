import { randomBytes } from 'node:crypto'
import { closeSync, openSync, rmSync, statfsSync, statSync, writeSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** Bytes that the reserve occupies on the disk. */
const RESERVE_BYTES = 16 * 1024 * 1024
/** Free bytes that the disk must have for the reserve, so that the next write does not fill it again. */
const ENOUGH_BYTES = 2 * RESERVE_BYTES

const reserveFileOf = (file: string): string => join(dirname(file), 'reserve')
const isComplete = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.size === RESERVE_BYTES

/**
 * Space that a store reserves for when its disk is full. Deletions and checkpoints need some space themselves
 * before they free any, so the reserve is released for them.
 */
export type Reserve = {
  /**
   * Whether there is room for documents: the disk has room for the reserve, and then a released reserve is taken again; or
   * the disk and the free pages of the store have as much together.
   */
  readonly hasRoom: (freePageBytes: () => number) => boolean
  /** Frees the reserve, after the disk was full. */
  readonly release: () => void
}

const freeBytesOf = (folder: string): number => {
  const { bavail, bsize } = statfsSync(folder)
  return bavail * bsize
}

/** Whether the disk of the store in a file has no room: its reserve is released, and cannot be taken again. */
export const isDiskFull = (file: string): boolean =>
  !isComplete(reserveFileOf(file)) && freeBytesOf(dirname(file)) < ENOUGH_BYTES

/** Takes the reserve of the store in a file, as far as the disk has room for it. `freeBytes` is for specs. */
export const openReserve = (file: string, freeBytes = freeBytesOf): Reserve => {
  const path = reserveFileOf(file)
  let isHeld = isComplete(path)
  const write = (): void => {
    const descriptor = openSync(path, 'w', 0o600)
    try {
      // Zeros would take no space on a file system that compresses.
      isHeld = writeSync(descriptor, randomBytes(RESERVE_BYTES)) === RESERVE_BYTES
    } finally {
      closeSync(descriptor)
    }
  }
  const take = (): void => {
    try {
      write()
    } catch (error) {
      // Another process filled the disk in the meantime, or it has no room for one more file.
      if (!/^(?:ENOSPC|EDQUOT)$/.test((error as NodeJS.ErrnoException).code ?? '')) throw error
    }
    if (!isHeld) rmSync(path, { force: true })
  }
  /** Bytes that the disk has, while the reserve is not held; takes the reserve if they are enough. */
  const freeOrTake = (): number => {
    const free = freeBytes(dirname(path))
    if (free >= ENOUGH_BYTES) take()
    return free
  }
  if (!isHeld) {
    // What a crash left of it.
    rmSync(path, { force: true })
    freeOrTake()
  }
  return {
    hasRoom: (freePageBytes) => {
      if (isHeld) return true
      const free = freeOrTake()
      return isHeld || free + freePageBytes() >= ENOUGH_BYTES
    },
    release: () => {
      isHeld = false
      rmSync(path, { force: true })
    },
  }
}
