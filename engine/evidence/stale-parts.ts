import { existsSync, readdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { manifestFile } from '../../domain/evidence/run-folder.ts'

/** How the name begins of a folder for the parts of a run that is not stored yet. */
export const UNSTORED_PARTS = '.parts-'

const MAX_AGE_MS = 24 * 60 * 60 * 1000

/**
 * Removes the folders of parts that processes left which were killed more than a day ago. One with a manifest stays: it has the parts of a run
 * that could not be stored.
 */
export const removeStaleParts = (directory: string, now: number): void => {
  if (statSync(directory, { throwIfNoEntry: false })?.isDirectory() !== true) return
  for (const name of readdirSync(directory)) {
    const path = join(directory, name)
    if (!name.startsWith(UNSTORED_PARTS) || existsSync(join(path, manifestFile(0)))) continue
    const stats = statSync(path, { throwIfNoEntry: false })
    if (stats !== undefined && now - lastChange(path, stats.mtimeMs) > MAX_AGE_MS)
      rmSync(path, { recursive: true, force: true })
  }
}

/** A run of more than a day puts parts into the folders below. */
const lastChange = (path: string, mtimeMs: number): number => {
  const parts = join(path, 'parts')
  const folders = existsSync(parts) ? [parts, ...readdirSync(parts).map((name) => join(parts, name))] : []
  return Math.max(mtimeMs, ...folders.map((folder) => statSync(folder, { throwIfNoEntry: false })?.mtimeMs ?? 0))
}
