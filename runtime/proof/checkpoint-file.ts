import { closeSync, fsyncSync, fstatSync, openSync, readSync, writeFileSync } from 'node:fs'
import { UserError } from '../../maintenance/user-error.ts'

/** More than the longest note takes. */
const TAIL_BYTES = 65_536

// A note is followed by an empty line. The end of a write that was interrupted does not match.
const NOTES = /(?<=^|\n)[^\n]+\n\d+\n[^\n]+\n(?:[^\n]+\n)*\n(?:— [^\n]+\n)+(?=\n)/g

/** A file of signed checkpoints, outside of the store. */
export type CheckpointFile = {
  /** The last whole note; null if there is none. */
  readonly last: () => string | null
  /** Appends a note and an empty line, and waits until they are on disk. */
  readonly append: (note: string) => void
}

const endOf = (descriptor: number): string => {
  const { size } = fstatSync(descriptor)
  const bytes = Buffer.alloc(Math.min(size, TAIL_BYTES))
  const length = readSync(descriptor, bytes, 0, bytes.length, size - bytes.length)
  return bytes.toString('utf8', 0, length)
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
    withFile(endOf)
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new UserError(`SERVICE_CHECKPOINT_FILE: ${file} cannot be written: ${reason}`, { cause })
  }
  return {
    last: () => withFile(endOf).match(NOTES)?.at(-1) ?? null,
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
