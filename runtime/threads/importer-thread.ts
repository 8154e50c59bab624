import { parentPort, workerData, type TransferListItem } from 'node:worker_threads'
import {
  runImportJob,
  type FileResult,
  type FolderFiles,
  type JobOptions,
} from '../../interchange/convert/import-job.ts'
import type { KnownRun } from '../../interchange/convert/convert-source.ts'
import type { CaseDigests } from '../../interchange/convert/compare-runs.ts'
import {
  fileInMemory,
  fileOnDisk,
  folderOf,
  newImportScope,
  type ImportScope,
} from '../../interchange/read/source-file.ts'

// The importer thread converts the files of one import, and then ends. It asks its owner about the runs of the target,
// and waits until the owner has taken each result before it converts the next run.

/** The files of an import: on disk, folder by folder, or one in memory. */
export type ImporterInput =
  | {
      readonly kind: 'disk'
      readonly folders: ReadonlyArray<{
        readonly path: string
        /** All files of the folder that may belong together. */
        readonly files: ReadonlyArray<{ readonly path: string; readonly size: number; readonly mtimeMs: number }>
        /** The paths of those to import. */
        readonly paths: readonly string[]
        /** Parts that a journal lists, by path. */
        readonly done: ReadonlyArray<readonly [string, ReadonlyArray<string | null>]>
      }>
    }
  /** `originalPath`: a file with the same bytes, which is kept as evidence. */
  | {
      readonly kind: 'memory'
      readonly name: string
      readonly bytes: Uint8Array
      readonly originalPath?: string | null
    }

export type ImporterData = { readonly input: ImporterInput; readonly job: JobOptions }

/** What the thread sends. `id` numbers the questions, each of which is answered. */
export type FromImporter =
  | { readonly kind: 'known' | 'content' | 'hasEvidence'; readonly id: number; readonly run_id: string }
  | { readonly kind: 'result'; readonly id: number; readonly result: FileResult }
  | { readonly kind: 'done' }

/** What the thread receives: the answer to a question, or that it shall stop. */
export type ToImporter = { readonly id: number; readonly answer: unknown } | { readonly stop: true }

const port = parentPort
if (!port) throw new Error('the importer runs as a worker thread')
const { input, job } = workerData as ImporterData
const stop = new AbortController()
const waiting = new Map<number, (answer: unknown) => void>()
let lastId = 0

port.on('message', (message: ToImporter) => {
  if ('stop' in message) return stop.abort()
  waiting.get(message.id)?.(message.answer)
  waiting.delete(message.id)
})

const ask = <T>(question: (id: number) => FromImporter, transfer: TransferListItem[] = []): Promise<T> => {
  const id = ++lastId
  return new Promise<T>((resolve) => {
    waiting.set(id, resolve as (answer: unknown) => void)
    port.postMessage(question(id), transfer)
  })
}

/** The buffer of a document, which is moved: a small one shares its buffer with others, and is copied. */
const transferredDocument = (result: FileResult): TransferListItem[] => {
  if (result.kind !== 'run' || !('run' in result.result)) return []
  const { buffer, byteLength } = result.result.run.bytes
  return buffer instanceof ArrayBuffer && buffer.byteLength === byteLength ? [buffer] : []
}

const receivedFolders = function* (scope: ImportScope): Generator<FolderFiles> {
  if (input.kind === 'memory') {
    const files = [fileInMemory(input.name, input.bytes, { originalPath: input.originalPath ?? null })]
    yield { folder: folderOf('', files, scope), files }
    return
  }
  for (const { path, files, paths, done } of input.folders) {
    const known = files.map((file) => fileOnDisk(file.path, file))
    const wanted = new Set(paths)
    yield {
      folder: folderOf(path, known, scope),
      files: known.filter((file) => wanted.has(file.path)),
      done: new Map(done.map(([name, parts]) => [name, new Set(parts)])),
    }
  }
}

const start = async (): Promise<void> => {
  const scope = newImportScope()
  using _ = scope.temporary
  await runImportJob(
    receivedFolders(scope),
    job,
    {
      known: (run_id) => ask<KnownRun | null>((id) => ({ kind: 'known', id, run_id })),
      content: (run_id) => ask<Uint8Array | CaseDigests | null>((id) => ({ kind: 'content', id, run_id })),
      hasEvidence: (run_id) => ask<boolean>((id) => ({ kind: 'hasEvidence', id, run_id })),
    },
    (result) => ask<void>((id) => ({ kind: 'result', id, result }), transferredDocument(result)),
    stop.signal,
  )
  port.postMessage({ kind: 'done' } satisfies FromImporter)
  port.close()
}
// The built program runs as CommonJS, which cannot wait here. A rejection ends the thread with its error.
void start()
