import { readFileSync, readdirSync } from 'node:fs'
import { join, relative } from 'node:path'

/** The paths of the files below a folder that hold a text. Files and folders with a dot name count, unlike in a glob. */
export const filesWith = (folder: string, text: string): readonly string[] =>
  filesBelow(folder)
    .filter((path) => readFileSync(path, 'utf8').includes(text))
    .map((path) => relative(folder, path))
    .toSorted()

const filesBelow = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))

/** Those of some bytes that are in a file below a folder. */
export const bytesIn = (folder: string, wanted: readonly Buffer[]): readonly Buffer[] => {
  const files = filesBelow(folder).map((path) => readFileSync(path))
  return wanted.filter((bytes) => files.some((file) => file.includes(bytes)))
}
