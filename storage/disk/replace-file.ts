import { closeSync, fsyncSync, openSync } from 'node:fs'
import { open, rename } from 'node:fs/promises'
import { dirname } from 'node:path'

/**
 * Replaces a small file, or creates it: after a crash it has the old content or the new one. When the promise resolves, the
 * new content is on disk. Only the owner may read the file. Two calls for one file must not overlap.
 */
export const replaceFile = async (file: string, text: string): Promise<void> => {
  const temporary = `${file}.part`
  const handle = await open(temporary, 'w', 0o600)
  try {
    await handle.writeFile(text)
    await handle.sync()
  } finally {
    await handle.close()
  }
  await rename(temporary, file)
  if (process.platform === 'win32') return
  const folder = await open(dirname(file), 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}

/** Puts the names in a folder on disk. Windows cannot open folders, and needs no such call. */
export const syncFolder = (folder: string): void => {
  if (process.platform === 'win32') return
  const descriptor = openSync(folder, 'r')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

/** Puts the content of a file on disk. */
export const syncFile = (file: string): void => {
  const descriptor = openSync(file, 'r')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}
