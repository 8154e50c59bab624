import { statSync } from 'node:fs'
import { InvalidManifest, partsOf, readManifest } from '../../domain/evidence/manifest.ts'
import { digestOfBytes, readStored, type StoredBytes } from './exported-files.ts'
import { UserError } from '../../maintenance/user-error.ts'

/** The SHA-256 of a file in hex. */
export const digestOfFile = (path: string): Promise<string> => digestOfBytes(wholeFile(path))

/** All bytes of a file. */
export const wholeFile = (path: string): StoredBytes => ({ path, offset: 0, bytes: statSync(path).size })

/** The parts of a manifest in a file. Throws `UserError`. */
export const readManifestFile = async (path: string): Promise<ReadonlyMap<string, number>> =>
  manifestParts(wholeFile(path), path)

/** The same of stored bytes, which `path` names. */
export const manifestParts = async (stored: StoredBytes, path: string): Promise<ReadonlyMap<string, number>> => {
  const bytes = await readStored(stored)
  try {
    return partsOf(readManifest(bytes))
  } catch (error) {
    if (!(error instanceof InvalidManifest)) throw error
    throw new UserError(`${path} is no manifest: ${error.message}`, { cause: error })
  }
}
