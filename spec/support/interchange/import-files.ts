import { readdirSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { convertSource, type RunResult, type Target } from '../../../interchange/convert/convert-source.ts'
import { planSources } from '../../../interchange/convert/plan-sources.ts'
import type { ImportOptions } from '../../../interchange/document/import-options.ts'
import type { Loss } from '../../../interchange/document/losses.ts'
import { fileInMemory, fileOnDisk, folderOf } from '../../../interchange/read/source-file.ts'
import type { Folder, SourceFile } from '../../../interchange/read/source-file.ts'
import { openDocument, type NormalCase, type NormalRun } from '../../../domain/run/document.ts'

/** The folder of the files of other tools. */
export const SAMPLES = fileURLToPath(new URL('../../interchange/samples/', import.meta.url))

/** A target that has nothing. */
const EMPTY_TARGET: Target = { known: async () => null, content: async () => null }

/** What came of a run, with its document read as the service reads it. */
export type Imported = RunResult & {
  readonly format: string | null
  readonly document?: { readonly run: NormalRun; readonly cases: readonly NormalCase[]; readonly bytes: Uint8Array }
}

type Options = ImportOptions & { readonly from?: string; readonly target?: Target }

/** Imports all files of a folder on disk, or only some of them by name. Reading each document checks it. */
export const importFolder = async (
  path: string,
  { from, target = EMPTY_TARGET, ...options }: Options = {},
  names?: readonly string[],
): Promise<readonly Imported[]> => {
  const files = filesOnDisk(path)
  const wanted = names ? files.filter(({ path: file }) => names.includes(basename(file))) : files
  return importPlanned(folderOf(path, files), wanted, { from, target, options })
}

/** Imports one file on disk, with the files of its folder that belong to it. */
export const importFile = (path: string, options: Options = {}): Promise<readonly Imported[]> =>
  importFolder(dirname(path), options, [basename(path)])

/** Imports a file in memory, as an upload. */
export const importBytes = (
  name: string,
  content: Uint8Array | string,
  { from, target = EMPTY_TARGET, ...options }: Options = {},
): Promise<readonly Imported[]> => {
  const file = fileInMemory(name, typeof content === 'string' ? Buffer.from(content) : content)
  return importPlanned(folderOf('', [file]), [file], { from, target, options })
}

/** Imports files in memory as if they were in one folder. */
export const importFiles = (
  contents: Readonly<Record<string, Uint8Array | string>>,
  { from, target = EMPTY_TARGET, ...options }: Options = {},
): Promise<readonly Imported[]> => {
  const files = Object.entries(contents).map(([name, content]) =>
    fileInMemory(name, typeof content === 'string' ? Buffer.from(content) : content),
  )
  const sorted = files.sort((a, b) => (a.name < b.name ? -1 : 1))
  return importPlanned(folderOf('', files), sorted, { from, target, options })
}

type Planning = { readonly from: string | undefined; readonly target: Target; readonly options: ImportOptions }

const importPlanned = async (folder: Folder, files: readonly SourceFile[], { from, target, options }: Planning) => {
  const results: Imported[] = []
  using _ = folder.scope.temporary
  for await (const planned of planSources([{ folder, files }], from ?? null)) {
    if (planned.kind === 'own') throw new Error(`${planned.file.path} is a run document`)
    if (planned.kind !== 'source') {
      const { reason } = planned
      results.push({ part: null, identity: null, run_id: null, outcome: 'refused', reason, format: null })
      continue
    }
    const { importer, source } = planned
    for await (const result of convertSource({ importer, source, options }, target, {
      verify: false,
      onChanged: 'report',
    }))
      results.push({ ...result, format: importer.format, ...('run' in result && { document: read(result.run.bytes) }) })
  }
  return results
}

const read = (bytes: Uint8Array) => {
  const document = openDocument(bytes)
  return { bytes, run: document.run, cases: Array.from({ length: document.caseCount }, (_, n) => document.caseAt(n)) }
}

const filesOnDisk = (path: string): readonly SourceFile[] =>
  readdirSync(path)
    .sort()
    .map((name) => ({ path: join(path, name), stats: statSync(join(path, name)) }))
    .filter(({ stats }) => stats.isFile())
    .map((file) => fileOnDisk(file.path, file.stats))

/** The cases of each run by status, as the tables of samples write it: "24 / 16 / 8 / 0". */
export const countsOf = (results: readonly Imported[]): readonly string[] =>
  results.map((result) => {
    if (result.outcome === 'refused') return `refused: ${result.reason}`
    if (!('run' in result)) return result.outcome
    const { statuses } = result.run
    return ['pass', 'fail', 'error', 'skip'].map((status) => statuses[status] ?? 0).join(' / ')
  })

/** All losses of the runs. */
export const lossesOf = (results: readonly Imported[]): readonly Loss[] =>
  results.flatMap((result) => ('run' in result ? result.run.losses : []))

/** A target that has the documents of these results. */
export const targetWith = (results: readonly Imported[]): Target => {
  const stored = new Map(results.flatMap(({ run_id, document }) => (document ? [[run_id, document] as const] : [])))
  return {
    known: async (run_id) => {
      const document = stored.get(run_id)
      if (!document) return null
      const { import: imported } = document.run.config_snapshot as { import: { id: string; stamp: string } }
      return { import: imported }
    },
    content: async (run_id) => stored.get(run_id)?.bytes ?? null,
  }
}
