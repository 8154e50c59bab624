import { open, type FileHandle } from 'node:fs/promises'
import { UserError } from '../../maintenance/user-error.ts'
import { afterFiveSeconds } from './post-text.ts'

/** More than twice as long as the longest note. */
const WINDOW_BYTES = 65_536

// A note is followed by an empty line. The end of a write that was interrupted does not match.
const NOTES = /(?<=^|\n)[^\n]+\n\d+\n[^\n]+\n(?:[^\n]+\n)*\n(?:— [^\n]+\n)+(?=\n)/g

/**
 * A file of signed checkpoints, outside of the store. Every function rejects with `UserError` if the file cannot be read or
 * written. Nothing blocks the event loop: the file may be on a volume that hangs.
 */
export type CheckpointFile = {
  /** The last whole note; null if there is none. */
  readonly last: () => Promise<string | null>
  /** The last whole note of an origin; null if there is none. */
  readonly lastOf: (origin: string) => Promise<string | null>
  /** Appends a note and an empty line, and waits until they are on disk. */
  readonly append: (note: string) => Promise<void>
}

const readWindow = async (handle: FileHandle, end: number): Promise<string> => {
  const start = Math.max(end - WINDOW_BYTES, 0)
  const { bytesRead, buffer } = await handle.read(Buffer.alloc(end - start), 0, end - start, start)
  const text = buffer.toString('utf8', 0, bytesRead)
  // The first line may be the end of one.
  return start === 0 ? text : text.slice(text.indexOf('\n') + 1)
}

const endOf = async (handle: FileHandle): Promise<string> => readWindow(handle, (await handle.stat()).size)

/** The last note that has a property. It is mostly the last of all, so the file is read from its end. */
const findLast = async (handle: FileHandle, matches: (note: string) => boolean): Promise<string | null> => {
  // Windows overlap by half, so that each note is whole in one of them.
  for (let end = (await handle.stat()).size; end > 0; end -= WINDOW_BYTES / 2) {
    const found = (await readWindow(handle, end)).match(NOTES)?.findLast(matches)
    if (found !== undefined) return found
    if (end <= WINDOW_BYTES) break
  }
  return null
}

const whenAborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    const refuse = (): void => reject(new Error('it did not answer in time'))
    if (signal.aborted) refuse()
    else signal.addEventListener('abort', refuse, { once: true })
  })

/** Opened for each use, because a program that pushes or rotates the file may replace it. */
const use = async <T>(file: string, work: (handle: FileHandle) => Promise<T>): Promise<T> => {
  const handle = await open(file, 'a+', 0o644)
  try {
    return await work(handle)
  } finally {
    await handle.close()
  }
}

/**
 * The file of SERVICE_CHECKPOINT_FILE, created if it is missing. Rejects with `UserError` if it cannot be read and written, or
 * not before the signal of `deadline` aborts.
 */
export const openCheckpointFile = async (
  file: string,
  deadline: () => AbortSignal = afterFiveSeconds,
): Promise<CheckpointFile> => {
  /** A use that has not ended. A volume that hangs must not take one thread after the other. */
  let running: Promise<unknown> | null = null

  const inTime = async <T>(work: (handle: FileHandle) => Promise<T>): Promise<T> => {
    if (running) throw new Error('an earlier use has not ended')
    const used = (async () => {
      try {
        return await use(file, work)
      } finally {
        running = null
      }
    })()
    running = used
    return Promise.race([used, whenAborted(deadline())])
  }

  const withFile = async <T>(work: (handle: FileHandle) => Promise<T>): Promise<T> => {
    try {
      return await inTime(work)
    } catch (cause) {
      const reason = cause instanceof Error ? cause.message : String(cause)
      throw new UserError(`SERVICE_CHECKPOINT_FILE: ${file} cannot be used: ${reason}`, { cause })
    }
  }
  await withFile(async (handle) => {
    if (!(await handle.stat()).isFile()) throw new Error('it is not a regular file')
    await endOf(handle)
  })
  return {
    last: () => withFile((handle) => findLast(handle, () => true)),
    lastOf: (origin) => withFile((handle) => findLast(handle, (note) => note.startsWith(`${origin}\n`))),
    append: (note) =>
      withFile(async (handle) => {
        const end = await endOf(handle)
        // An interrupted write left a part of a note: an empty line ends it.
        const separator = end === '' || end.endsWith('\n\n') ? '' : '\n\n'
        await handle.writeFile(`${separator}${note}\n`)
        await handle.sync()
      }),
  }
}
