import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { replaceFile } from '../disk/replace-file.ts'

// The last signed checkpoint, written outside of the store before its signature leaves the process. A store that was
// restored from an older copy does not contain the checkpoints that were signed since. Only a separate file shows that
// another checkpoint of the same size must not be signed.

/** The guard of a state directory: the file `checkpoint` next to the store. */
export const signingGuardOf = (serviceFile: string): string => join(dirname(serviceFile), 'checkpoint')

// Notes are separated by an empty line. The empty line inside of a note is followed by a signature.
const BETWEEN_NOTES = /(?<=\n)\n(?!— )/

/**
 * The last signed checkpoint of each origin as signed notes (c2sp.org/tlog-checkpoint), unparsed: the last of all first,
 * then those of former origins. Empty if the file is missing or empty.
 */
export const readSigningGuards = (file: string): string[] => {
  try {
    return readFileSync(file, 'utf8')
      .split(BETWEEN_NOTES)
      .filter((note) => note !== '')
  } catch (error) {
    // ENOTDIR: the given folder is a file.
    if (['ENOENT', 'ENOTDIR'].includes(String((error as { code?: unknown }).code))) return []
    throw error
  }
}

/** The last signed checkpoint as a signed note, unparsed; null if the file is missing or empty. */
export const readSigningGuard = (file: string): string | null => readSigningGuards(file)[0] ?? null

const originLine = (note: string): string => note.slice(0, note.indexOf('\n') + 1)

/**
 * Replaces the last signed checkpoint, and waits until it is on disk. The last ones of other origins stay, so that a
 * former name of the log never signs another history, whatever key is configured.
 */
export const writeSigningGuard = async (file: string, note: string): Promise<void> => {
  const former = readSigningGuards(file).filter((other) => originLine(other) !== originLine(note))
  await replaceFile(file, [note, ...former].join('\n'))
}
