import {
  closeSync,
  existsSync,
  fstatSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { replaceFile } from '../../../storage/disk/replace-file.ts'

/**
 * Unproved notes that are kept: the first and the newest. A log that never serves tiles could fill the disk, and the first
 * ones show a fork as well as all.
 */
const MAX_UNPROVED = 1000

/** A note may have 256 KiB, so that a thousand could fill a disk too. */
const MAX_UNPROVED_BYTES = 1_048_576

/** The first notes that fit with a new one into the limits, and the new one. */
const withNewest = (earlier: readonly string[], note: string): string[] => {
  const kept: string[] = []
  let bytes = Buffer.byteLength(note)
  for (const text of earlier.slice(0, MAX_UNPROVED - 1)) {
    bytes += Buffer.byteLength(text)
    if (bytes > MAX_UNPROVED_BYTES) break
    kept.push(text)
  }
  return [...kept, note]
}

/** A note: its text, an empty line, and its signature lines. An empty line follows each note of a file. */
const NOTES = /(?<=^|\n)(?:[^\n]+\n){3,}\n(?:— [^\n]+\n)+(?=\n)/gu

/** More than twice as long as the longest note. */
const TAIL_BYTES = 1_048_576

const readTail = (descriptor: number): string => {
  const { size } = fstatSync(descriptor)
  const bytes = Buffer.alloc(Math.min(size, TAIL_BYTES))
  return bytes.toString('utf8', 0, readSync(descriptor, bytes, 0, bytes.length, size - bytes.length))
}

const withFile = <T>(file: string, flags: string, work: (descriptor: number) => T): T => {
  const descriptor = openSync(file, flags, 0o644)
  try {
    return work(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

const newestIn = (folder: string): string | null => {
  const name = existsSync(folder) ? readdirSync(folder).toSorted().at(-1) : undefined
  return name === undefined ? null : join(folder, name)
}

const hasAll = (folder: string, files: Readonly<Record<string, string | Buffer>>): boolean =>
  Object.entries(files).every(([name, content]) => {
    const path = join(folder, name)
    return existsSync(path) && readFileSync(path).equals(Buffer.from(content))
  })

/** Whether files can be added to a folder: those that it has already are the same. */
const fits = (folder: string, files: Readonly<Record<string, string | Buffer>>): boolean =>
  Object.entries(files).every(([name, content]) => {
    const path = join(folder, name)
    return !existsSync(path) || readFileSync(path).equals(Buffer.from(content))
  })

/** The notes that a monitor has accepted, in files of one month each. They are kept whole: a signature is evidence. */
export type AcceptedNotes = {
  /** The last note; null if none was accepted yet. */
  readonly last: () => string | null
  readonly append: (note: string, now: number) => void
  /** Signed notes, newer than the last accepted one, whose tiles were not served yet. */
  readonly unproved: () => string[]
  /**
   * Keeps a signed note before its tiles are read, and waits until it is on disk. Beyond 1,000 notes or 1 MiB, it replaces
   * the newest.
   */
  readonly keepUnproved: (note: string) => Promise<void>
  /** Removes the unproved notes, which an accepted one continues. */
  readonly dropUnproved: () => void
  /** Keeps what an alarm is about. Returns the folder: the newest one, if it has all of that already. */
  readonly keepEvidence: (files: Readonly<Record<string, string | Buffer>>, now: number) => string
}

/** Opens the folder of a monitor, and creates it if it is missing. */
export const acceptedNotes = (dir: string): AcceptedNotes => {
  const folder = join(dir, 'checkpoints')
  const unprovedFile = join(dir, 'unproved.txt')
  mkdirSync(folder, { recursive: true })
  const unproved = (): string[] =>
    existsSync(unprovedFile) ? (readFileSync(unprovedFile, 'utf8').match(NOTES) ?? []) : []

  return {
    last: () => {
      const names = readdirSync(folder).filter((name) => /^\d{4}-\d{2}\.txt$/.test(name))
      for (const name of names.toSorted().toReversed()) {
        const note = withFile(join(folder, name), 'r', readTail).match(NOTES)?.at(-1)
        if (note !== undefined) return note
      }
      return null
    },
    append: (note, now) => {
      const file = join(folder, `${new Date(now).toISOString().slice(0, 7)}.txt`)
      withFile(file, 'a+', (descriptor) => {
        const text = readTail(descriptor)
        // An interrupted write left a part of a note: an empty line ends it.
        const separator = text === '' || text.endsWith('\n\n') ? '' : '\n\n'
        writeFileSync(descriptor, `${separator}${note}\n`)
        fsyncSync(descriptor)
      })
    },
    unproved,
    keepUnproved: (note) =>
      replaceFile(
        unprovedFile,
        withNewest(unproved(), note)
          .map((kept) => `${kept}\n`)
          .join(''),
      ),
    dropUnproved: () => rmSync(unprovedFile, { force: true }),
    keepEvidence: (files, now) => {
      const newest = newestIn(join(dir, 'evidence'))
      // A monitor that is restarted after each alarm must not fill the disk with copies.
      if (newest !== null && hasAll(newest, files)) return newest
      const base = join(dir, 'evidence', new Date(now).toISOString().replaceAll(':', '-'))
      let evidence = base
      for (let n = 2; existsSync(evidence) && !fits(evidence, files); n++) evidence = `${base}-${n}`
      mkdirSync(evidence, { recursive: true })
      for (const [name, content] of Object.entries(files)) writeFileSync(join(evidence, name), content)
      return evidence
    },
  }
}
