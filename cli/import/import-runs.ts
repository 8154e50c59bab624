import { rm } from 'node:fs/promises'
import { hiddenNote } from '../../domain/lists/hidden-cases.ts'
import { runImporter } from '../../runtime/import/run-importer.ts'
import type { ImporterInput } from '../../runtime/threads/importer-thread.ts'
import type { FileResult, JobOptions } from '../../interchange/convert/import-job.ts'
import type { RunResult } from '../../interchange/convert/convert-source.ts'
import type { RunEvidence } from '../../interchange/document/evidence/collect-evidence.ts'
import type { Progress } from '../terminal/progress.ts'
import { finishedRuns, noCounts, type ImportCounts } from './counts.ts'
import type { ImportJournal } from './journal.ts'
import { readDocuments, startsLikeOwn, unreadable } from './own-documents.ts'
import { byFolder, type FolderOfFiles, type RunFile } from './run-files.ts'
import { sendQueue } from './send-queue.ts'
import type { ImportTarget, Outcome, Unsent } from './target.ts'
import { watchRuns } from './watch-runs.ts'

/** The result of one run, for the report. `part` is the line or the name of the run in its file. */
export type RunReport = {
  readonly path: string
  readonly part: number | string | null
  readonly format: string
  readonly outcome: keyof ImportCounts
  /** The id of the run, as far as it is known. */
  readonly run_id: string | null
  readonly reason: string | null
  /** Of a run of another tool. */
  readonly result: RunResult | null
  /** Whether the file was named, and refused because no importer knows it: it may be a table that needs a map. */
  readonly needsMap?: boolean
}

export type ImportOptions = {
  readonly journal: ImportJournal
  readonly concurrency: number
  /** How files of other tools are read. */
  readonly job: JobOptions
  /** After an abort, the documents in flight are finished and no further one is read. */
  readonly signal: AbortSignal
  readonly onRun: (report: RunReport) => void
  readonly onProgress: (progress: Omit<Progress, 'seconds'>) => void
}

/** Why a document is not stored, or what is to say of a stored one; null for nothing. */
const reasonOfOwn = (outcome: Outcome | { readonly kind: 'skipped' }): string | null => {
  if ('status' in outcome) return `${outcome.status} ${outcome.reason}`
  return 'hidden_cases' in outcome && outcome.hidden_cases ? hiddenNote(outcome.hidden_cases) : null
}

/** The format of the service's own documents in reports and for `--from`. */
const OWN = 'ers'
const TABLE = 'table'

/** Files of other tools are read when there are so many, so that an import of many folders does not list them all first. */
const FILES_AT_ONCE = 5_000

/**
 * Sends every run of the files, `concurrency` at a time, and never reads far ahead. Run documents of this service are sent
 * byte for byte; files of other tools are converted in a thread. A rejected or failed run does not stop the import. An
 * error thrown by the target stops it after the documents in flight are finished.
 */
export const importRuns = async (
  files: readonly RunFile[],
  target: ImportTarget,
  options: ImportOptions,
): Promise<ImportCounts> => {
  const { journal, concurrency, job, signal, onRun, onProgress } = options
  const counts = noCounts()
  const totalBytes = files.reduce((sum, { size }) => sum + size, 0)
  const total = files.some(({ lines }) => lines) ? null : files.length
  const isStopped = () => signal.aborted || queue.failures.length > 0
  const queue = sendQueue(concurrency, () => signal.aborted)
  const watched = watchRuns(target)
  let weight = 0

  const finish = (report: RunReport, weighed: number) => {
    counts[report.outcome] += 1
    weight += weighed
    onRun(report)
    onProgress({
      done: finishedRuns(counts),
      total: total === null ? null : Math.max(total, finishedRuns(counts)),
      share: totalBytes > 0 ? Math.min(1, weight / totalBytes) : 1,
    })
  }
  const finishOwn = (file: RunFile, line: number | null, outcome: Outcome | { kind: 'skipped' }, weighed: number) =>
    finish(
      {
        path: file.path,
        part: line,
        format: OWN,
        outcome: outcome.kind,
        run_id: 'id' in outcome ? (outcome.id ?? null) : null,
        reason: reasonOfOwn(outcome),
        result: null,
      },
      weighed,
    )

  const importOwn = async (file: RunFile) => {
    try {
      for await (const document of readDocuments(file)) {
        if (isStopped()) break
        const { line } = document
        if (journal.has(file, line)) {
          finishOwn(file, line, { kind: 'skipped' }, document.weight)
          continue
        }
        await queue.add({
          bytes: document.bytes,
          send: async () => {
            const bytes = await document.read()
            const outcome: Outcome = 'kind' in bytes ? bytes : await target.send({ bytes, gzip: document.gzip })
            if (!('status' in outcome)) await journal.add(file, line)
            finishOwn(file, line, outcome, document.weight)
            return 'kind' in bytes ? { kind: 'unread' } : outcome
          },
        })
      }
    } catch (error) {
      finishOwn(file, null, unreadable(error), 0)
    }
  }

  const attach = async (run_id: string, evidence: RunEvidence): Promise<Unsent | null> =>
    (await target.evidence?.attach(run_id, evidence)) ?? null

  /** Sends the parts of a run and then does `work` with them. Their files are removed. */
  const sendEvidence = async <T>(
    evidence: RunEvidence,
    isAll: boolean,
    work: () => Promise<T>,
  ): Promise<T | Unsent> => {
    try {
      return (await target.evidence?.send(evidence, isAll)) ?? (await work())
    } finally {
      await rm(evidence.folder, { recursive: true, force: true })
    }
  }

  const importConverted = async (file: RunFile, format: string, result: RunResult, weighed: number) => {
    const needsMap = result.outcome === 'refused' && format === TABLE && job.options.map === undefined && file.isNamed
    const report = { path: file.path, part: result.part, format, result, run_id: result.run_id, needsMap }
    if (result.outcome === 'evidence_added') {
      const { run, evidence } = result
      await queue.add({
        bytes: run.bytes.length,
        send: async () => {
          const problem = await sendEvidence(evidence, false, () => attach(run.run_id, evidence)).finally(() =>
            watched.finish(run.run_id),
          )
          if (problem === null) await journal.add(file, result.part)
          const reason = problem && `${problem.status} ${problem.reason}`
          finish({ ...report, outcome: problem?.kind ?? 'evidence_added', reason }, weighed)
          return problem ?? { kind: 'already_there' }
        },
      })
      return
    }
    if (result.outcome !== 'converted') {
      const { outcome } = result
      watched.finish(result.run_id)
      if (outcome === 'already_there') await journal.add(file, result.part)
      return finish({ ...report, outcome, reason: resultReason(result) }, weighed)
    }
    const { run, replaces } = result
    await queue.add({
      bytes: run.bytes.length,
      send: async () => {
        const upload = async (): Promise<Outcome> =>
          (replaces ? await target.remove(run.run_id) : null) ?? (await target.send({ bytes: run.bytes, gzip: false }))
        /** A run that another import has stored meanwhile may lack the evidence. */
        const uploadWith = async (evidence: RunEvidence): Promise<Outcome> => {
          const outcome = await upload()
          return outcome.kind === 'already_there' ? ((await attach(run.run_id, evidence)) ?? outcome) : outcome
        }
        const send = (): Promise<Outcome> =>
          run.evidence === null ? upload() : sendEvidence(run.evidence, replaces, () => uploadWith(run.evidence!))
        const outcome = await send().finally(() => watched.finish(run.run_id))
        if (!('status' in outcome)) await journal.add(file, result.part)
        const reason = 'status' in outcome ? `${outcome.status} ${outcome.reason}` : null
        finish({ ...report, outcome: outcome.kind, reason }, weighed)
        return outcome
      },
    })
  }

  const importFolders = async (folders: readonly FolderOfFiles[]) => {
    const named = new Map(folders.flatMap((folder) => folder.files.map((file) => [file.path, file] as const)))
    const own: RunFile[] = []
    const weighed = new Set<string>()
    const ending = new AbortController()
    const take = async (found: FileResult): Promise<void> => {
      const file = named.get(found.path)
      if (file === undefined || isStopped()) {
        ending.abort()
        if (found.kind === 'run') watched.finish(found.result.run_id)
        return
      }
      if (found.kind === 'failed') for (const run_id of found.asked) watched.finish(run_id)
      const size = weighed.has(file.path) ? 0 : file.size
      if (found.kind !== 'own') weighed.add(file.path)
      if (found.kind === 'own') own.push({ ...file, lines: found.isLines })
      else if (found.kind === 'run') await importConverted(file, found.format, found.result, size)
      else finish(fileReport(file, found, job.format), size)
    }
    await runImporter({ input: inputOf(folders, journal), job }, watched.target, take, {
      signal: AbortSignal.any([signal, ending.signal]),
    })
    for (const file of own) if (!isStopped()) await importOwn(file)
  }

  let waiting: FolderOfFiles[] = []
  let waitingFiles = 0
  const importWaiting = async () => {
    const folders = waiting
    waiting = []
    waitingFiles = 0
    if (folders.length > 0 && !isStopped()) await importFolders(folders)
  }
  try {
    for (const folder of byFolder(files)) {
      if (isStopped()) break
      const others: RunFile[] = []
      for (const file of folder.files) {
        if (isStopped()) break
        if (await isOwn(file, job.format)) await importOwn(file)
        else if (journal.has(file, null)) finishOwn(file, null, { kind: 'skipped' }, file.size)
        else others.push(file)
      }
      if (others.length > 0) {
        waiting.push({ ...folder, files: others })
        waitingFiles += others.length
      }
      if (waitingFiles >= FILES_AT_ONCE) await importWaiting()
    }
    await importWaiting()
  } catch (error) {
    await queue.onIdle()
    throw new ImportStopped(counts, error)
  }
  await queue.onIdle()
  if (queue.failures.length > 0) throw new ImportStopped(counts, queue.failures[0])
  return counts
}

/** The import stopped because the target threw `cause`. `counts` holds the results so far. */
export class ImportStopped extends Error {
  override readonly name = 'ImportStopped'
  readonly counts: ImportCounts

  constructor(counts: ImportCounts, cause: unknown) {
    super('the import stopped', { cause })
    this.counts = counts
  }
}

const isOwn = async (file: RunFile, format: string | null): Promise<boolean> =>
  format === OWN || (format === null && /\.(?:json|ndjson|jsonl)$/i.test(file.path) && (await startsLikeOwn(file)))

const resultReason = (result: RunResult): string | null =>
  result.outcome === 'refused'
    ? `refused ${result.reason}`
    : result.outcome === 'changed'
      ? `changed ${result.difference}; nothing was written (--replace or --as-new)`
      : null

const fileReport = (
  file: RunFile,
  { kind, reason }: { readonly kind: 'unknown' | 'refused' | 'failed'; readonly reason: string },
  format: string | null,
): RunReport => {
  // In a folder, files that are none of a known tool are expected.
  const outcome = kind === 'unknown' ? (file.isNamed ? 'refused' : 'unknown_files') : kind
  return {
    path: file.path,
    part: null,
    format: format ?? 'unknown',
    outcome,
    run_id: null,
    reason: `${kind === 'failed' ? 'failed' : 'refused'} ${reason}`,
    result: null,
    needsMap: kind === 'unknown' && file.isNamed,
  }
}

const inputOf = (folders: readonly FolderOfFiles[], journal: ImportJournal): ImporterInput => ({
  kind: 'disk',
  folders: folders.map(({ path, files, siblings }) => ({
    path,
    files: siblings.map((file) => ({ path: file.path, size: file.size, mtimeMs: file.mtime_ms })),
    paths: files.map((file) => file.path),
    done: files.flatMap((file) => {
      const parts = journal.partsOf(file)
      return parts.length > 0 ? [[file.path, parts] as const] : []
    }),
  })),
})
