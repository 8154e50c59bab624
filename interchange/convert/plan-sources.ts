import type { Importer, Source } from '../importers/importer.ts'
import { recognise } from '../importers/index.ts'
import { SourceRefused } from '../document/source-refused.ts'
import { lookAt, type Look } from '../read/look.ts'
import { isOfFile, type Folder, type SourceFile } from '../read/source-file.ts'

/** What is to be done with a file. */
export type Planned =
  | { readonly kind: 'own'; readonly file: SourceFile; readonly look: Look }
  | { readonly kind: 'source'; readonly importer: Importer; readonly source: Source }
  | { readonly kind: 'refused' | 'unknown' | 'failed'; readonly file: SourceFile; readonly reason: string }

/** Some files of a folder. */
export type PlannedFolder = { readonly folder: Folder; readonly files: readonly SourceFile[] }

/**
 * Recognises files of folders, in the given order, one after the other. A file that belongs to another
 * one is part of its source, and not planned by itself. With a format, a file of another kind is refused.
 */
export const planSources = async function* (
  folders: readonly PlannedFolder[],
  format: string | null,
): AsyncGenerator<Planned> {
  const taken = new Set<string>()
  const waiting: Array<{ readonly file: SourceFile; readonly reason: string }> = []
  for (const { folder, files } of folders)
    for (const file of files) {
      if (taken.has(file.path)) continue
      const planned = await planFile(file, folder, format)
      if (planned.kind === 'companion') {
        waiting.push({ file, reason: planned.reason })
        continue
      }
      if (planned.kind === 'source') {
        const { companions, shared = [] } = planned.source
        for (const { path } of [...companions, ...shared]) taken.add(path)
      }
      yield planned
    }
  for (const { file, reason } of waiting) if (!taken.has(file.path)) yield { kind: 'refused', file, reason }
}

type Companion = { readonly kind: 'companion'; readonly reason: string }

/** Recognises one file. */
const planFile = async (file: SourceFile, folder: Folder, format: string | null): Promise<Planned | Companion> => {
  try {
    const look = await lookAt(file)
    const found = recognise(look, format)
    if (found.kind === 'own') return { kind: 'own', file, look }
    if (found.kind === 'unknown') {
      const isBroken = look.kind === 'json' && look.head === null
      const isDamaged = isBroken || (isJsonName(file.name) && (look.kind === 'text' || look.kind === 'empty'))
      const reason = isDamaged && look.kind !== 'empty' ? 'not valid JSON' : found.reason
      return { kind: format === null && !isDamaged ? 'unknown' : 'refused', file, reason }
    }
    if (found.kind === 'refused') return { kind: 'refused', file, reason: found.reason }
    const { importer, claim } = found
    if (claim.isCompanion === true || (await claim.isCompanion?.(file)))
      return {
        kind: 'companion',
        reason: `${importer.format}: ${claim.reason}: the file it belongs to is missing: put it into the same folder`,
      }
    const companions = (await importer.companions?.(file, look, folder)) ?? []
    if ('shared' in companions) return { kind: 'source', importer, source: { file, look, ...companions } }
    if (!('belongsTo' in companions)) return { kind: 'source', importer, source: { file, look, companions } }
    const reason = `${importer.format}: belongs to ${companions.belongsTo}: import that`
    return companions.isNear ? { kind: 'companion', reason } : { kind: 'unknown', file, reason }
  } catch (error) {
    if (error instanceof SourceRefused) return { kind: 'refused', file, reason: error.message }
    if (isOfFile(error)) return { kind: 'failed', file, reason: error.message }
    throw error
  }
}

const isJsonName = (name: string) => /\.(?:json|ndjson|jsonl)$/i.test(name)
