import { readdirSync, statSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { SourceRefused } from '../../interchange/document/source-refused.ts'
import { fileOnDisk } from '../../interchange/read/source-file.ts'
import { openZip } from '../../interchange/read/zip/zip.ts'
import { UserError } from '../../maintenance/user-error.ts'
import { DIGESTS, DOCUMENT, isExportedRun } from './exported-run.ts'
import type { StoredBytes } from './stored-bytes.ts'

/** The files of a run that was exported with its parts, in a folder or in a zip archive. */
export type ExportedFiles = {
  /** The folder or the archive. */
  readonly where: string
  readonly files: ReadonlyMap<string, StoredBytes>
}

/** The runs that a path names: a folder or an archive of one, or the folders in a folder of them. */
export const exportedRunsIn = async (path: string): Promise<readonly ExportedFiles[]> => {
  const stats = statSync(path, { throwIfNoEntry: false })
  if (stats?.isFile() === true) {
    const zipped = /\.zip$/i.test(path) ? await filesInZip(path) : null
    return zipped === null ? [] : [zipped]
  }
  if (stats?.isDirectory() !== true) return []
  if (isExportedRun(path)) return [filesInFolder(path)]
  return readdirSync(path)
    .toSorted()
    .map((name) => join(path, name))
    .filter(isExportedRun)
    .map(filesInFolder)
}

const filesInFolder = (folder: string): ExportedFiles => ({
  where: folder,
  files: new Map(
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => {
        const path = join(entry.parentPath, entry.name)
        const name = relative(folder, path).split(sep).join('/')
        return [name, { path, offset: 0, bytes: statSync(path).size }] as const
      }),
  ),
})

/** The files of an archive of an exported run; null for any other archive. Throws `UserError` if it was packed again. */
const filesInZip = async (path: string): Promise<ExportedFiles | null> => {
  try {
    using zip = await openZip(fileOnDisk(path, statSync(path)))
    if (!zip.members.has(DIGESTS) || !zip.members.has(DOCUMENT)) return null
    const files = new Map<string, StoredBytes>()
    for (const member of zip.members.values()) {
      const offset = await zip.storedAt(member)
      if (offset === null)
        throw new UserError(`${path} was packed again: unzip it into a folder, and import the folder`)
      files.set(member.name, { path, offset, bytes: member.size })
    }
    return { where: path, files }
  } catch (error) {
    // What is no archive of a run is for the importers.
    if (error instanceof SourceRefused && error.message.endsWith('entries'))
      throw new UserError(`${path} ${error.message}: unzip it into a folder, and import the folder`, { cause: error })
    if (error instanceof SourceRefused) return null
    throw error
  }
}

/** The digests that an exported run lists, by the names of its files. Throws `UserError`. */
export const readDigests = ({ where, files }: ExportedFiles, text: string): ReadonlyMap<string, string> => {
  const digests = new Map<string, string>()
  for (const line of text.split('\n')) {
    if (line === '') continue
    const [, sha256, written] = /^([0-9a-f]{64}) [ *](.+)$/.exec(line) ?? []
    if (sha256 === undefined || written === undefined || written.startsWith('/') || written.split('/').includes('..'))
      throw new UserError(`${join(where, DIGESTS)} has a line that names no file of the run: ${line.slice(0, 100)}`)
    const name = written.replace(/^\.\//, '')
    if (!files.has(name)) throw new UserError(`${join(where, name)} is missing`)
    digests.set(name, sha256)
  }
  return digests
}
