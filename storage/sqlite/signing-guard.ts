import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { replaceFile } from '../disk/replace-file.ts'

// The last signed checkpoint, written outside of the store before its signature leaves the process. A store that was
// restored from an older copy does not contain the checkpoints that were signed since. Only a separate file shows that
// another checkpoint of the same size must not be signed.

/** The guard of a state directory: the file `checkpoint` next to the store. */
export const signingGuardOf = (serviceFile: string): string => join(dirname(serviceFile), 'checkpoint')

/** The last signed checkpoint as a signed note (c2sp.org/tlog-checkpoint), unparsed; null if the file is missing or empty. */
export const readSigningGuard = (file: string): string | null => {
  try {
    return readFileSync(file, 'utf8') || null
  } catch (error) {
    // ENOTDIR: the given folder is a file.
    if (['ENOENT', 'ENOTDIR'].includes(String((error as { code?: unknown }).code))) return null
    throw error
  }
}

/** Replaces the guard and waits until it is on disk. */
export const writeSigningGuard = (file: string, note: string): void => replaceFile(file, note)
