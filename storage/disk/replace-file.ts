import { closeSync, fsyncSync, openSync, renameSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'

/**
 * Replaces a small file, or creates it: after a crash it has the old content or the new one. When this returns, the new
 * content is on disk. Only the owner may read the file.
 */
export const replaceFile = (file: string, text: string): void => {
  const temporary = `${file}.part`
  const descriptor = openSync(temporary, 'w', 0o600)
  try {
    writeFileSync(descriptor, text)
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
  renameSync(temporary, file)
  syncFolder(dirname(file))
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
