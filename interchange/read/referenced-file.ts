import { constants, closeSync, fstatSync, lstatSync, openSync } from 'node:fs'
import { join } from 'node:path'

/** A file to which a source refers, or why it is not read. */
export type ReferencedFile = { readonly path: string } | { readonly why: string }

/**
 * Finds a file to which a source refers, by its path below one of the folders. Nothing outside of them is read: no absolute
 * path, no `..`, and no link. An address is never fetched. In the same way it finds a folder.
 */
export const referencedFile = (
  reference: string,
  folders: readonly string[],
  kind: 'file' | 'folder' = 'file',
): ReferencedFile => {
  if (/^[a-z][\w+.-]+:/i.test(reference)) return { why: 'an address, which is not fetched' }
  const steps = reference.split('/').filter((step) => step !== '' && step !== '.')
  if (/^[\\/]/.test(reference) || /[\\\0]/.test(reference) || steps.includes('..') || steps.length === 0)
    return { why: 'outside of the folder of the source, so it is not read' }
  for (const folder of folders) {
    const found = fileBelow(folder, steps, kind)
    if (found !== null) return found
  }
  return { why: folders.length === 0 ? 'a file, of which an upload has none' : 'no file in the folder of the source' }
}

const fileBelow = (folder: string, steps: readonly string[], kind: 'file' | 'folder'): ReferencedFile | null => {
  let path = folder
  for (const [index, step] of steps.entries()) {
    path = join(path, step)
    const stats = ifReadable(() => lstatSync(path, { throwIfNoEntry: false }) ?? null, 'unreadable')
    if (stats === null) return null
    if (stats === 'unreadable') return { why: 'a file that cannot be read' }
    if (stats.isSymbolicLink()) return { why: 'a link, which is not followed' }
    const isLast = index === steps.length - 1
    if (isLast && kind === 'file' ? !stats.isFile() : !stats.isDirectory()) return { why: `no ${kind}` }
  }
  return { path }
}

/** Opens a file for reading; null for a link, for anything but a file, whatever was at its path before, and if it must not be read. */
export const openReferenced = (path: string): number | null => {
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK
  const file = ifReadable(() => openSync(path, flags), null)
  if (file === null || fstatSync(file).isFile()) return file
  closeSync(file)
  return null
}

/** What is read from a disk, or `otherwise` if the system refuses it: no permission, too long a name, a link. */
export const ifReadable = <T, U>(read: () => T, otherwise: U): T | U => {
  try {
    return read()
  } catch (error) {
    if (error instanceof Error && 'syscall' in error) return otherwise
    throw error
  }
}
