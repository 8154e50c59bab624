import { findPackageJSON } from 'node:module'
import { pathToFileURL } from 'node:url'

/**
 * The URL of a file that is part of the program, given its path in the checkout. The sources and the built program have
 * different depths, so the path is relative to the folder of the nearest `package.json`.
 */
export const packageFile = (path: string): URL => {
  const found = findPackageJSON(import.meta.url)
  if (found === undefined) throw new Error('no package.json was found above the program: its files cannot be located')
  return new URL(path, pathToFileURL(found))
}
