import { findPackageJSON } from 'node:module'
import { pathToFileURL } from 'node:url'

/**
 * Address of a file that comes with the program, given its path in the checkout. The sources and the built program lie
 * at different depths, so the path starts at the folder of the nearest `package.json`.
 */
export const packageFile = (path: string): URL => {
  const found = findPackageJSON(import.meta.url)
  if (found === undefined) throw new Error('no package.json was found above the program: its files cannot be located')
  return new URL(path, pathToFileURL(found))
}
