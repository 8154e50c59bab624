import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'

// A run that was exported with its parts: a folder with the document, the manifests, the parts and what is needed to check them.

/** The document of the run, byte for byte. */
export const DOCUMENT = 'run.json'
/** The digests of all other files, in the form of `sha256sum`. It is written last: with it the folder is whole. */
export const DIGESTS = 'manifest-sha256.txt'
/** The folder of the receipts. */
export const RECEIPTS = 'receipts'

/** The file of a manifest, by the number of the evidence. */
export const manifestFile = (n: number): string => `manifest-${n}.json`

/** The number of the evidence of a manifest file; null for another file. */
export const manifestNumber = (name: string): number | null => {
  const [, digits] = /^manifest-(\d{1,6})\.json$/.exec(name) ?? []
  return digits === undefined ? null : Number(digits)
}

/** The folder of the parts. */
export const PARTS = 'parts'

/** The file of a part, below the folder of the run, as the digests name it. */
export const partFile = (sha256: string): string => `${PARTS}/${sha256.slice(0, 2)}/${sha256}`

/** Whether a folder has a whole run that was exported with its parts. */
export const isExportedRun = (folder: string): boolean =>
  existsSync(join(folder, DIGESTS)) && existsSync(join(folder, DOCUMENT))

/** The exported runs that a path names: the folder of one, or those in a folder of them. */
export const exportedRunsIn = (path: string): string[] => {
  if (isExportedRun(path)) return [path]
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() !== true) return []
  return readdirSync(path)
    .toSorted()
    .map((name) => join(path, name))
    .filter(isExportedRun)
}
