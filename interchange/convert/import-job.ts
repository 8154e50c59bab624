import PQueue from 'p-queue'
import type { ImportOptions } from '../document/import-options.ts'
import type { Look } from '../read/look.ts'
import { isOfFile, type Folder, type SourceFile } from '../read/source-file.ts'
import { convertSource, type OnChanged, type RunResult, type Target } from './convert-source.ts'
import { planSources } from './plan-sources.ts'

/** How the files of an import are read. Plain data. */
export type JobOptions = {
  /** The format of every file; null: each file is recognised by its content. */
  readonly format: string | null
  readonly options: ImportOptions
  /** Compares a run with the stored one even if its stamp is the same. */
  readonly verify: boolean
  readonly onChanged: OnChanged
}

/** The result of a file, or of a run in it. */
export type FileResult = { readonly path: string } & (
  | { readonly kind: 'run'; readonly format: string; readonly result: RunResult }
  /** Run documents of this service: they are uploaded as they are. `isLines`: a document per line. */
  | { readonly kind: 'own'; readonly isLines: boolean }
  /** No importer knows the file. */
  | { readonly kind: 'unknown' | 'refused'; readonly reason: string }
  /** It cannot be read. `asked`: the runs that the target was asked about, and that have no result. */
  | { readonly kind: 'failed'; readonly reason: string; readonly asked: readonly string[] }
)

/** The files to import of one folder; `done` are the parts that a journal lists, by path. */
export type FolderFiles = {
  readonly folder: Folder
  readonly files: readonly SourceFile[]
  readonly done?: ReadonlyMap<string, ReadonlySet<string | null>>
}

/**
 * Sources that are read at the same time: the target can then be asked about many runs at once. They are converted
 * one after the other.
 */
const SOURCES_AT_ONCE = 16

/**
 * Reads the files of folders and converts their runs. Passes each result to `report` and waits for it before it converts
 * the next, so that never more than one document is in memory here. Ends early when the signal aborts.
 */
export const runImportJob = async (
  folders: Iterable<FolderFiles>,
  job: JobOptions,
  target: Target,
  report: (result: FileResult) => Promise<void>,
  signal: AbortSignal,
): Promise<void> => {
  const sources = new PQueue({ concurrency: SOURCES_AT_ONCE })
  const conversions = new PQueue({ concurrency: 1 })
  const failures: unknown[] = []
  const isStopped = () => signal.aborted || failures.length > 0

  const all = [...folders]
  const done = new Map(all.flatMap((folder) => [...(folder.done ?? [])]))
  for await (const planned of planSources(all, job.format)) {
    if (isStopped()) break
    if (planned.kind === 'own') {
      await report({ kind: 'own', path: planned.file.path, isLines: isLines(planned.look, planned.file) })
      continue
    }
    if (planned.kind !== 'source') {
      const { kind, file, reason } = planned
      await report(kind === 'failed' ? { kind, path: file.path, reason, asked: [] } : { kind, path: file.path, reason })
      continue
    }
    const { importer, source } = planned
    const { path } = source.file
    const isDone = (part: string | null) => done.get(path)?.has(part) ?? false
    const convertAll = async () => {
      if (isStopped()) return
      let asked: string[] = []
      const known: Target['known'] = (run_id) => {
        asked.push(run_id)
        return target.known(run_id)
      }
      try {
        const results = convertSource(
          { importer, source, options: job.options },
          { ...target, known },
          { ...job, isDone, whenFree: (work) => conversions.add(work) },
          (result) => {
            // The runs of a source are converted one after the other.
            asked = []
            return report({ kind: 'run', path, format: importer.format, result })
          },
        )
        for await (const _ of results) if (isStopped()) break
      } catch (error) {
        if (isOfFile(error)) await report({ kind: 'failed', path, reason: error.message, asked })
        else throw error
      }
    }
    await sources.onSizeLessThan(1)
    void sources.add(() => convertAll().catch((error: unknown) => void failures.push(error)))
  }
  await sources.onIdle()
  if (failures.length > 0) throw failures[0]
}

const isLines = (look: Look, file: SourceFile): boolean =>
  look.kind === 'lines' || /\.(?:ndjson|jsonl)$/i.test(file.name)
