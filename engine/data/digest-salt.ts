import { blake3Bytes } from '../cache/canonical.ts'
import { matchingFiles, readMatch, SuiteFileError } from './suite-files.ts'

export const DIGEST_PREFIX = '$digest:'

/**
 * Returns the salt that represents the files matching a glob: BLAKE3 over path, zero byte, content, zero byte of each
 * file in the order of the paths. Throws `SuiteFileError` if no file matches.
 */
export const digestSalt = async (directory: string, pattern: string): Promise<string> => {
  const paths = await matchingFiles(directory, pattern)
  if (paths.length === 0) throw new SuiteFileError(`no file matches \`${pattern}\``)
  const zero = Buffer.of(0)
  const parts: Uint8Array[] = []
  for (const path of paths) parts.push(Buffer.from(path), zero, await readMatch(directory, path), zero)
  return blake3Bytes(Buffer.concat(parts))
}
