import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** A file of an archive. `path` is relative to the archive, with slashes. */
export type PackedFile = { readonly path: string; readonly bytes: Uint8Array; readonly executable?: boolean }

/** Sorted by code units, which no locale changes. */
const byPath = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

/** Returns the files below a folder of a checkout that `isKept` accepts, with their paths in the checkout, sorted. */
export const filesBelow = (
  checkout: string,
  folder: string,
  isKept: (path: string) => boolean = () => true,
): PackedFile[] =>
  readdirSync(join(checkout, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name).slice(join(checkout, '/').length).replaceAll('\\', '/'))
    .filter(isKept)
    .sort(byPath)
    .map((path) => fileAt(checkout, path))

/** A file of a checkout. Its mode in the archive does not depend on the file system. */
export const fileAt = (checkout: string, path: string, as = path): PackedFile => ({
  path: as,
  bytes: readFileSync(join(checkout, path)),
})

/** A file with a text of its own. */
export const textFile = (path: string, text: string): PackedFile => ({ path, bytes: Buffer.from(text) })

/** The files in a folder of an archive. */
export const inFolder = (folder: string, files: readonly PackedFile[]): PackedFile[] =>
  files.map((file) => ({ ...file, path: `${folder}/${file.path}` }))

/** The files in the order of an archive. Throws if two have the same path. */
export const inOrder = (files: readonly PackedFile[]): PackedFile[] => {
  const sorted = [...files].sort((a, b) => byPath(a.path, b.path))
  const twice = sorted.find(({ path }, index) => path === sorted[index + 1]?.path)
  if (twice) throw new Error(`two files of an archive have the path ${twice.path}`)
  return sorted
}
