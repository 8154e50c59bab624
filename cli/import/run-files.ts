import { readdirSync, realpathSync, statSync, type Stats } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { UserError } from '../../maintenance/user-error.ts'

/** How a file holds run documents. */
export type Format = { readonly lines: boolean; readonly gzip: boolean }
export type RunFile = Format & {
  readonly path: string
  readonly size: number
  readonly mtime_ms: number
  /** Whether its path was given, and not found in a folder. */
  readonly isNamed: boolean
}
/** A path that cannot be imported, and the reason. */
export type Problem = { readonly path: string; readonly status: 'refused' | 'failed'; readonly reason: string }

const MAX_FILES = 2_000_000

/** Returns the format for the name of a file of run documents, or null for another name. */
export const formatOf = (name: string): Format | null => {
  const [, kind = '', gz] = /\.(json|ndjson|jsonl)(\.gz)?$/i.exec(name) ?? []
  return kind ? { lines: kind.toLowerCase() !== 'json', gzip: gz !== undefined } : null
}

/** The names of files that a tool may have written; in a folder, others are not read. */
const IMPORTABLE = /\.(?:json|ndjson|jsonl|eval|xml|csv|tsv|ya?ml|db|sqlite3?|parquet|pb|binpb|otlp)(?:\.gz)?$/i

const isImportable = (name: string): boolean => IMPORTABLE.test(name)

/**
 * Lists the files that the paths name. Folders are walked in sorted order; hidden entries and files with other names are
 * skipped. Links are followed, but each file and folder is visited once, so that circular links end. Throws `UserError`
 * if a path does not exist, or if there are more than 2,000,000 files.
 */
export const listRunFiles = (
  paths: readonly string[],
): { readonly files: readonly RunFile[]; readonly problems: readonly Problem[] } => {
  const files: RunFile[] = []
  const problems: Problem[] = []
  const seen = new Set<string>()
  const failed = (path: string, error: unknown) =>
    void problems.push({ path, status: 'failed', reason: (error as Error).message })

  const addFile = (path: string, stats: Stats, isNamed: boolean) => {
    const name = basename(path)
    if (files.length >= MAX_FILES) throw new UserError(`more than ${MAX_FILES} files: import the folders one by one`)
    const format = formatOf(name) ?? { lines: false, gzip: /\.gz$/i.test(name) }
    files.push({ path, ...format, size: stats.size, mtime_ms: stats.mtimeMs, isNamed })
  }

  const walk = (folder: string, real: string) => {
    let entries
    try {
      entries = readdirSync(folder, { withFileTypes: true })
    } catch (error) {
      return failed(folder, error)
    }
    for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      const path = join(folder, entry.name)
      if (entry.name.startsWith('.') || !(entry.isDirectory() || entry.isSymbolicLink() || isImportable(entry.name)))
        continue
      try {
        visit(path, entry.isSymbolicLink() ? realpathSync(path) : join(real, entry.name), false)
      } catch (error) {
        if (error instanceof UserError) throw error
        // A broken link, or a file deleted meanwhile. Reported only if the name is that of a file to import.
        if (isImportable(entry.name)) failed(path, error)
      }
    }
  }

  const visit = (path: string, real: string, isNamed: boolean) => {
    if (seen.has(real)) return
    const stats = statSync(path)
    const isWanted = stats.isDirectory() || (stats.isFile() && (isNamed || isImportable(basename(path))))
    if (!isWanted) return
    seen.add(real)
    if (stats.isDirectory()) walk(path, real)
    else addFile(path, stats, isNamed)
  }

  const named = paths.map((path) => ({ path, stats: readStats(path) }))
  const missing = named.flatMap(({ path, stats }) => (typeof stats === 'string' ? [`${path}: ${stats}`] : []))
  if (missing.length > 0) throw new UserError(missing.join('\n'))
  for (const { path, stats } of named) {
    if (typeof stats === 'string') continue
    if (stats.isDirectory() || stats.isFile()) visit(path, realpathSync(path), true)
    else problems.push({ path, status: 'refused', reason: 'not a regular file' })
  }
  return { files, problems }
}

/** The files of one folder that are imported, and all others there that may belong to them. */
export type FolderOfFiles = {
  readonly path: string
  readonly files: readonly RunFile[]
  readonly siblings: ReadonlyArray<Pick<RunFile, 'path' | 'size' | 'mtime_ms'>>
}

/**
 * Groups files by their folder, in the order in which the folders appear. A named file brings the other importable files
 * of its folder as siblings: a tool may have written the results of one run into several.
 */
export const byFolder = (files: readonly RunFile[]): readonly FolderOfFiles[] =>
  [...Map.groupBy(files, ({ path }) => dirname(path))].map(([path, found]) => ({
    path,
    files: found,
    siblings: found.some(({ isNamed }) => isNamed) ? siblingsIn(path, found) : found,
  }))

const siblingsIn = (folder: string, found: readonly RunFile[]): FolderOfFiles['siblings'] => {
  const known = new Set(found.map(({ path }) => path))
  const others = readdirSync(folder)
    .filter((name) => isImportable(name) && !known.has(join(folder, name)))
    .flatMap((name) => {
      const path = join(folder, name)
      const stats = statSync(path, { throwIfNoEntry: false })
      return stats?.isFile() ? [{ path, size: stats.size, mtime_ms: stats.mtimeMs }] : []
    })
  return [...found, ...others.sort((a, b) => (a.path < b.path ? -1 : 1))]
}

const readStats = (path: string): Stats | string => {
  try {
    return statSync(path, { throwIfNoEntry: false }) ?? 'no such file or folder'
  } catch (error) {
    return (error as Error).message
  }
}
