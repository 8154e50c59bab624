import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { InvalidManifest, partsOf, readManifest } from '../../domain/evidence/manifest.ts'
import { UserError } from '../../maintenance/user-error.ts'

/** The SHA-256 of a file in hex. */
export const digestOfFile = async (path: string): Promise<string> => {
  const hash = createHash('sha256')
  for await (const chunk of createReadStream(path)) hash.update(chunk as Uint8Array)
  return hash.digest('hex')
}

/** The parts of a manifest in a file. Throws `UserError`. */
export const readManifestFile = async (path: string): Promise<ReadonlyMap<string, number>> => {
  const chunks: Buffer[] = []
  for await (const chunk of createReadStream(path)) chunks.push(chunk as Buffer)
  try {
    return partsOf(readManifest(Buffer.concat(chunks)))
  } catch (error) {
    if (!(error instanceof InvalidManifest)) throw error
    throw new UserError(`${path} is no manifest: ${error.message}`, { cause: error })
  }
}
