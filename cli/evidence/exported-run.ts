import { existsSync } from 'node:fs'
import { join } from 'node:path'

// A run that was exported with its parts: a folder with the document, the manifests, the parts and what is needed to check them.

/** The document of the run, byte for byte. */
export const DOCUMENT = 'run.json'
/** The digests of all other files, in the form of `sha256sum`. It is written last: with it the folder is whole. */
export const DIGESTS = 'manifest-sha256.txt'
/** The folder of the receipts. */
export const RECEIPTS = 'receipts'

/** Whether a folder has a whole run that was exported with its parts. */
export const isExportedRun = (folder: string): boolean =>
  existsSync(join(folder, DIGESTS)) && existsSync(join(folder, DOCUMENT))
