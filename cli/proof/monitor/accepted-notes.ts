import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { replaceFile } from '../../../storage/disk/replace-file.ts'

/** A note: its text, an empty line, and its signature lines. An empty line follows each note of a file. */
const NOTES = /(?<=^|\n)(?:[^\n]+\n){3,}\n(?:— [^\n]+\n)+(?=\n)/gu

/** The notes that a monitor has accepted, in files of one month each. They are kept whole: a signature is evidence. */
export type AcceptedNotes = {
  /** The last note; null if none was accepted yet. */
  readonly last: () => string | null
  /** Appends a note, and waits until it is on disk. */
  readonly append: (note: string, now: number) => void
  /** Signed notes, newer than the last accepted one, whose tiles were not served yet. */
  readonly unproved: () => string[]
  /** Keeps a signed note before its tiles are read, and waits until it is on disk. */
  readonly keepUnproved: (note: string) => void
  /** Removes the unproved notes, which an accepted one continues. */
  readonly dropUnproved: () => void
  /** Keeps what an alarm is about. Returns the folder. */
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
        const note = readFileSync(join(folder, name), 'utf8').match(NOTES)?.at(-1)
        if (note !== undefined) return note
      }
      return null
    },
    append: (note, now) => {
      const descriptor = openSync(join(folder, `${new Date(now).toISOString().slice(0, 7)}.txt`), 'a+', 0o644)
      try {
        const text = readFileSync(descriptor, 'utf8')
        // An interrupted write left a part of a note: an empty line ends it.
        const separator = text === '' || text.endsWith('\n\n') ? '' : '\n\n'
        writeFileSync(descriptor, `${separator}${note}\n`)
        fsyncSync(descriptor)
      } finally {
        closeSync(descriptor)
      }
    },
    unproved,
    keepUnproved: (note) => replaceFile(unprovedFile, [...unproved(), note].map((kept) => `${kept}\n`).join('')),
    dropUnproved: () => rmSync(unprovedFile, { force: true }),
    keepEvidence: (files, now) => {
      const evidence = join(dir, 'evidence', new Date(now).toISOString().replaceAll(':', '-'))
      mkdirSync(evidence, { recursive: true })
      for (const [name, content] of Object.entries(files)) writeFileSync(join(evidence, name), content)
      return evidence
    },
  }
}
