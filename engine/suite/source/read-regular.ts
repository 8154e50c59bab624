import { constants } from 'node:fs'
import { open, readFile } from 'node:fs/promises'
import { NotRegular } from './compose.ts'

/** Opening a pipe without it waits for a writer. Windows has no such flag. */
const WITHOUT_WAITING = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)

/** The bytes of a file. Throws `NotRegular` for a pipe, a device and the like, and the errors of the file system. */
export const readRegular = async (path: string): Promise<Uint8Array> => {
  const handle = await open(path, WITHOUT_WAITING)
  try {
    const found = await handle.stat()
    if (!found.isFile() && !found.isDirectory()) throw new NotRegular()
    // A folder fails here with its own error.
    return await readFile(handle)
  } finally {
    await handle.close()
  }
}
