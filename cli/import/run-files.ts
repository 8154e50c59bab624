import { readdirSync, realpathSync, statSync } from 'node:fs'
import type { Stats } from 'node:fs'
import { basename, join } from 'node:path'
import { UserError } from '../../maintenance/user-error.ts'

/** How a file holds run documents. */
export type Format = { readonly lines: boolean; readonly gzip: boolean }
export type RunFile = Format & { readonly path: string; readonly size: number; readonly mtime_ms: number }
/** A path that cannot be imported, and the reason. */
export type Problem = { readonly path: string; readonly status: 'refused' | 'failed'; readonly reason: string }

/** Returns the format for a file name, or null if it is not the name of a file of run documents. */
export const formatOf = (name: string): Format | null => {
  const [, kind = '', gz] = /\.(json|ndjson|jsonl)(\.gz)?$/i.exec(name) ?? []
  return kind ? { lines: kind.toLowerCase() !== 'json', gzip: gz !== undefined } : null
}

/**
 * Lists the files of run documents that the paths name. Folders are walked in sorted order; hidden entries and files
 * with other names are skipped. Links are followed, but each file and folder is visited once, so that circular links
 * end. Throws `UserError` if a path does not exist.
 */
export const listRunFiles = (
  paths: readonly string[],
): { readonly files: readonly RunFile[]; readonly problems: readonly Problem[] } => {
  const files: RunFile[] = []
  const problems: Problem[] = []
  const seen = new Set<string>()
  const failed = (path: string, error: unknown) =>
    void problems.push({ path, status: 'failed', reason: (error as Error).message })

  const addFile = (path: string, stats: Stats) => {
    const format = formatOf(basename(path))
    if (format && stats.isFile()) files.push({ path, ...format, size: stats.size, mtime_ms: stats.mtimeMs })
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
      if (entry.name.startsWith('.') || !(entry.isDirectory() || entry.isSymbolicLink() || formatOf(entry.name)))
        continue
      try {
        visit(path, entry.isSymbolicLink() ? realpathSync(path) : join(real, entry.name))
      } catch (error) {
        // A broken link, or a file deleted meanwhile. Reported only if the name is that of a file of run documents.
        if (formatOf(entry.name)) failed(path, error)
      }
    }
  }

  const visit = (path: string, real: string) => {
    if (seen.has(real)) return
    seen.add(real)
    const stats = statSync(path)
    if (stats.isDirectory()) walk(path, real)
    else addFile(path, stats)
  }

  const named = paths.map((path) => ({ path, stats: statsOf(path) }))
  const missing = named.flatMap(({ path, stats }) => (typeof stats === 'string' ? [`${path}: ${stats}`] : []))
  if (missing.length > 0) throw new UserError(missing.join('\n'))
  for (const { path, stats } of named) {
    if (typeof stats === 'string') continue
    const reason = stats.isDirectory()
      ? null
      : !stats.isFile()
        ? 'not a regular file'
        : !formatOf(basename(path))
          ? EXPECTED_NAMES
          : null
    if (reason !== null) problems.push({ path, status: 'refused', reason })
    else visit(path, realpathSync(path))
  }
  return { files, problems }
}

const EXPECTED_NAMES = 'the name must end in .json, .ndjson or .jsonl, each with or without .gz'

const statsOf = (path: string): Stats | string => {
  try {
    return statSync(path, { throwIfNoEntry: false }) ?? 'no such file or folder'
  } catch (error) {
    return (error as Error).message
  }
}
