import { closeSync, fsyncSync, fstatSync, openSync, readSync, writeFileSync } from 'node:fs'
import { UserError } from '../../maintenance/user-error.ts'

/** More than twice as long as the longest note. */
const WINDOW_BYTES = 65_536

// A note is followed by an empty line. The end of a write that was interrupted does not match.
const NOTES = /(?<=^|\n)[^\n]+\n\d+\n[^\n]+\n(?:[^\n]+\n)*\n(?:— [^\n]+\n)+(?=\n)/g

/** A file of signed checkpoints, outside of the store. */
export type CheckpointFile = {
  /** The last whole note; null if there is none. */
  readonly last: () => string | null
  /** The last whole note of an origin; null if there is none. */
  readonly lastOf: (origin: string) => string | null
  /** Appends a note and an empty line, and waits until they are on disk. */
  readonly append: (note: string) => void
}

const readWindow = (descriptor: number, end: number): string => {
  const start = Math.max(end - WINDOW_BYTES, 0)
  const bytes = Buffer.alloc(end - start)
  const length = readSync(descriptor, bytes, 0, bytes.length, start)
  const text = bytes.toString('utf8', 0, length)
  // The first line may be the end of one.
  return start === 0 ? text : text.slice(text.indexOf('\n') + 1)
}

const endOf = (descriptor: number): string => readWindow(descriptor, fstatSync(descriptor).size)

/** The last note that has a property. It is mostly the last of all, so the file is read from its end. */
const findLast = (descriptor: number, matches: (note: string) => boolean): string | null => {
  // Windows overlap by half, so that each note is whole in one of them.
  for (let end = fstatSync(descriptor).size; end > 0; end -= WINDOW_BYTES / 2) {
    const found = readWindow(descriptor, end).match(NOTES)?.findLast(matches)
    if (found !== undefined) return found
    if (end <= WINDOW_BYTES) break
  }
  return null
}

/** The file of SERVICE_CHECKPOINT_FILE, created if it is missing. Throws `UserError` if it cannot be written. */
export const openCheckpointFile = (file: string): CheckpointFile => {
  const withFile = <T>(work: (descriptor: number) => T): T => {
    // Opened for each use, because a program that pushes or rotates the file may replace it.
    const descriptor = openSync(file, 'a+', 0o644)
    try {
      return work(descriptor)
    } finally {
      closeSync(descriptor)
    }
  }
  try {
    withFile((descriptor) => {
      if (!fstatSync(descriptor).isFile()) throw new Error('it is not a regular file')
      endOf(descriptor)
    })
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new UserError(`SERVICE_CHECKPOINT_FILE: ${file} cannot be written: ${reason}`, { cause })
  }
  return {
    last: () => withFile((descriptor) => findLast(descriptor, () => true)),
    lastOf: (origin) => withFile((descriptor) => findLast(descriptor, (note) => note.startsWith(`${origin}\n`))),
    append: (note) =>
      withFile((descriptor) => {
        const end = endOf(descriptor)
        // An interrupted write left a part of a note: an empty line ends it.
        const separator = end === '' || end.endsWith('\n\n') ? '' : '\n\n'
        writeFileSync(descriptor, `${separator}${note}\n`)
        fsyncSync(descriptor)
      }),
  }
}
