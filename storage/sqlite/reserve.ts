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
  /** Whether the disk has room. Takes a released reserve again if it has. */
  readonly hold: () => boolean
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
  const take = (): void => {
    if (freeBytes(dirname(path)) < ENOUGH_BYTES) return
    const descriptor = openSync(path, 'w', 0o600)
    try {
      isHeld = writeSync(descriptor, Buffer.alloc(RESERVE_BYTES)) === RESERVE_BYTES
    } catch (error) {
      // Another process filled the disk in the meantime.
      if (!/^(?:ENOSPC|EDQUOT)$/.test((error as NodeJS.ErrnoException).code ?? '')) throw error
    } finally {
      closeSync(descriptor)
      if (!isHeld) rmSync(path, { force: true })
    }
  }
  const hold = (): boolean => {
    if (!isHeld) take()
    return isHeld
  }
  hold()
  return {
    hold,
    release: () => {
      isHeld = false
      rmSync(path, { force: true })
    },
  }
}
