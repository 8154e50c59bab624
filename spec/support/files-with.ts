import { readFileSync, readdirSync } from 'node:fs'
import { join, relative } from 'node:path'

/** The paths of the files below a folder that hold a text. Files and folders with a dot name count, unlike in a glob. */
export const filesWith = (folder: string, text: string): readonly string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => readFileSync(path, 'utf8').includes(text))
    .map((path) => relative(folder, path))
    .toSorted()
