import { constants, closeSync, fstatSync, lstatSync, openSync } from 'node:fs'
import { join } from 'node:path'

/** A file to which a source refers, or why it is not read. */
export type ReferencedFile = { readonly path: string } | { readonly why: string }

/**
 * Finds a file to which a source refers, by its path below one of the folders. Nothing outside of them is read: no absolute
 * path, no `..`, and no link. An address is never fetched.
 */
export const referencedFile = (reference: string, folders: readonly string[]): ReferencedFile => {
  if (/^[a-z][\w+.-]+:/i.test(reference)) return { why: 'an address, which is not fetched' }
  const steps = reference.split('/').filter((step) => step !== '' && step !== '.')
  if (/^[\\/]/.test(reference) || /[\\\0]/.test(reference) || steps.includes('..') || steps.length === 0)
    return { why: 'outside of the folder of the source, so it is not read' }
  for (const folder of folders) {
    const found = fileBelow(folder, steps)
    if (found !== null) return found
  }
  return { why: folders.length === 0 ? 'a file, of which an upload has none' : 'no file in the folder of the source' }
}

const fileBelow = (folder: string, steps: readonly string[]): ReferencedFile | null => {
  let path = folder
  for (const [index, step] of steps.entries()) {
    path = join(path, step)
    const stats = lstatSync(path, { throwIfNoEntry: false })
    if (stats === undefined) return null
    if (stats.isSymbolicLink()) return { why: 'a link, which is not followed' }
    const isLast = index === steps.length - 1
    if (isLast ? !stats.isFile() : !stats.isDirectory()) return { why: 'no file' }
  }
  return { path }
}

/** Opens a file for reading; not a link, and nothing but a file, whatever was found at its path before. */
export const openReferenced = (path: string): number => {
  const file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  if (fstatSync(file).isFile()) return file
  closeSync(file)
  throw new Error(`${path} is no file`)
}
