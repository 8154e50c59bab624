import { constants } from 'node:fs'
import { open } from 'node:fs/promises'
import { delimiter, resolve } from 'node:path'
import { blake3Bytes } from '../cache/canonical.ts'

/** A larger file is an interpreter or a bundle, whose hash would take longer than many a call. */
const MAX_PROGRAM_BYTES = 16 * 1024 * 1024

/**
 * The BLAKE3 digest of the file of a program, which a bare name is searched in `path` (the variable PATH) for. Null: no
 * such file can be read, or it is larger than 16 MiB.
 */
export const programDigest = async (program: string, directory: string, path: string): Promise<string | null> => {
  const candidates = /[/\\]/.test(program)
    ? [resolve(directory, program)]
    : path.split(delimiter).flatMap((folder) => (folder === '' ? [] : [resolve(directory, folder, program)]))
  for (const candidate of candidates) {
    const bytes = await readProgram(candidate)
    if (bytes !== undefined) return bytes === null ? null : blake3Bytes(bytes)
  }
  return null
}

/** The bytes of a file; null: it is too large; undefined: it is no file that can be read. */
const readProgram = async (file: string): Promise<Uint8Array | null | undefined> => {
  // Without waiting: a pipe has no end.
  const handle = await open(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)).catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code === undefined) throw error
      return undefined
    },
  )
  if (handle === undefined) return undefined
  try {
    const { size } = await handle.stat().then((stat) => (stat.isFile() ? stat : { size: -1 }))
    if (size < 0) return undefined
    return size > MAX_PROGRAM_BYTES ? null : await handle.readFile()
  } finally {
    await handle.close()
  }
}
