import { NO_UPLOAD_LEVEL, Refused } from '../../../commands/refused.ts'
import { MAX_BODY_BYTES } from '../../../commands/run/inflate.ts'
import type { RunResult, Target } from '../../../interchange/convert/convert-source.ts'
import type { FileResult, JobOptions } from '../../../interchange/convert/import-job.ts'
import { mergeScores } from '../../../interchange/document/case/scores.ts'
import { mergeLosses } from '../../../interchange/document/losses.ts'
import { removeEvidence, type RunEvidence } from '../../../interchange/document/evidence/collect-evidence.ts'
import type { EvidenceOptions } from '../../../interchange/document/evidence/case-evidence.ts'
import type { ConvertedRun } from '../../../interchange/document/to-run-document.ts'
import { formatFor } from '../../../interchange/importers/index.ts'
import { withoutMark } from '../../../interchange/read/decode.ts'
import { splitLines } from '../../../interchange/read/lines.ts'
import { fileInMemory } from '../../../interchange/read/source-file.ts'
import { findLevel, includes } from '../../../queries/access/levels.ts'
import type { Viewer } from '../../../queries/access/viewer.ts'
import type { ImportResult } from '../../../queries/imports/import-result.ts'
import { importedFrom } from '../../../queries/imports/imported-from.ts'
import { listEvidence } from '../../../queries/evidence/evidence.ts'
import { findConfig } from '../../../queries/runs/config.ts'
import { findRunDetail } from '../../../queries/runs/run-detail.ts'
import { findRun } from '../../../queries/runs/run.ts'
import { ImportTooLarge, runImporter } from '../../../runtime/import/run-importer.ts'
import type { Services } from '../../services.ts'
import { evidenceKeeper, waitingEvidence } from './keep-evidence.ts'
import type { ImportQuery } from './import-query.ts'
import type { UploadedFile } from './uploaded-file.ts'

/** How long the reading of one file may take: other imports wait meanwhile. */
export const IMPORT_DEADLINE_MS = 120_000
const TOO_SLOW = `takes more than ${IMPORT_DEADLINE_MS / 1000} s to be read: use the command ers import`

/** Maximum heap of the thread of an import: a small file can hold millions of values, each of which takes memory. */
const MAX_HEAP_MIB = 1024

type Asked = {
  readonly query: ImportQuery
  /** Ends the import at once: no further run is recorded. */
  readonly signal: AbortSignal
  /** Ends the import too, with a reason: runs that are recorded stay. */
  readonly deadline: AbortSignal
  readonly urlOf: (run_id: string) => string
}

type Parts = Pick<Services, 'reader' | 'documents' | 'commit' | 'config' | 'partStore'>
type Outcome = ImportResult['runs'][number]['outcome']

/** Collects what became of the runs of a file. */
const openResult = (services: Parts, viewer: Viewer, urlOf: Asked['urlOf']) => {
  const { reader, commit, config } = services
  const keeper = evidenceKeeper(services, viewer)
  const runs: ImportResult['runs'] = []
  const refused: ImportResult['refused'] = []
  const refuse = (part: string | null, reason: string) => void refused.push({ part, reason })
  const add = async (id: string, part: string | null, outcome: Outcome, run: ConvertedRun | null) => {
    const stored = run ? null : await reader.read(findRunDetail(viewer, id))
    runs.push({
      id,
      url: urlOf(id),
      part,
      project: run?.project ?? stored?.project ?? null,
      suite: run?.suite ?? stored?.suite ?? null,
      outcome,
      cases: run?.cases ?? stored?.case_count ?? null,
      statuses: run?.statuses ?? null,
      created_at: run?.finished_at ?? stored?.created_at ?? null,
    })
  }
  /** Records a document as an upload. `run` is what it was converted from, if it was. */
  const record = async (part: string | null, body: Uint8Array, run: ConvertedRun | null) => {
    try {
      const maxPartBytes = config.parts.maxRunBytes
      const uploaded = { body, encoding: null, document_sha256: null, plan_id: null, maxPartBytes }
      const ingest = () => commit.ingestRun(viewer, uploaded)
      const { id, created } = run?.evidence ? await keeper.store(run.evidence, ingest) : await ingest()
      // Another import has stored it meanwhile, perhaps without evidence.
      if (!created && run?.evidence) await keeper.attach(id, run.evidence)
      await add(id, part, created ? 'imported' : 'already_there', run)
    } catch (error) {
      if (!(error instanceof Refused)) throw error
      refuse(part, error.message)
    }
  }
  /** Adds evidence to a run that is there without. */
  const addEvidence = async (part: string | null, run: ConvertedRun, evidence: RunEvidence) => {
    try {
      await keeper.store(evidence, () => keeper.attach(run.run_id, evidence))
      await add(run.run_id, part, 'evidence_added', run)
    } catch (error) {
      if (!(error instanceof Refused)) throw error
      refuse(part, `the evidence: ${error.message}`)
    }
  }
  return { runs, refused, refuse, add, addEvidence, record }
}

/** Run documents of this service are recorded as they are. */
const recordOwn = async (
  { record, refuse }: ReturnType<typeof openResult>,
  { name, bytes: content }: UploadedFile,
  isLines: boolean,
  { query, signal, deadline }: Asked,
): Promise<void> => {
  if (query.dry_run) throw new Refused('unprocessable', 'a run document of this service: upload it with POST /runs')
  if (!isLines) return record(null, withoutMark(content), null)
  for await (const { line, bytes } of splitLines(fileInMemory(name, content).bytes(), MAX_BODY_BYTES)) {
    signal.throwIfAborted()
    const part = String(line)
    if (deadline.aborted) return refuse(part, TOO_SLOW)
    if (bytes !== null) await record(part, bytes, null)
  }
}

/** Converts a file in a thread, and records each run for the viewer as an upload. With `dry_run`, records nothing. */
export const recordFile = async (
  services: Parts,
  viewer: Viewer,
  file: UploadedFile,
  asked: Asked,
): Promise<ImportResult> => {
  const { reader } = services
  const { query, signal, deadline } = asked
  const result = openResult(services, viewer, asked.urlOf)
  const { runs, refused, refuse, add, addEvidence } = result
  const losses = mergeLosses()
  const scores = mergeScores()
  let format: string | null = null
  let ownLines: boolean | null = null
  await using waiting = await waitingEvidence(file, query.evidence, services.config.parts.maxBytes)
  if (waiting.loss) losses.add([waiting.loss])

  const mayUpload = async ({ project, suite }: ConvertedRun): Promise<boolean> =>
    includes(await reader.read(findLevel(viewer, { project, suite })), 'upload')

  const takeRun = async (found: RunResult) => {
    const { part } = found
    if (found.outcome === 'refused') return refuse(part, found.reason)
    if (found.outcome === 'passed_over' || found.outcome === 'skipped') return
    if (found.outcome === 'already_there') return add(found.run_id ?? '', part, 'already_there', null)
    const { run } = found
    losses.add(run.losses)
    scores.add(run.scores)
    if (found.outcome === 'changed') return add(run.run_id, part, 'changed', run)
    const isKept = !query.dry_run && (run.evidence === null || (await mayUpload(run)))
    // What those send who may not upload is not stored.
    if (!isKept && run.evidence) removeEvidence(run.evidence)
    if (!isKept && !(await mayUpload(run))) return refuse(part, NO_UPLOAD_LEVEL)
    if (found.outcome === 'evidence_added')
      return isKept ? addEvidence(part, run, found.evidence) : add(run.run_id, part, 'evidence_added', run)
    return isKept ? result.record(part, run.bytes, run) : add(run.run_id, part, 'new', run)
  }

  const take = async (found: FileResult): Promise<void> => {
    if (found.kind === 'own') ownLines = found.isLines
    else if (found.kind === 'run') {
      format = found.format
      await takeRun(found.result)
    } else refuse(null, waiting.withoutPlace(found.reason))
  }

  try {
    // The thread takes a copy: if the file holds run documents of this service, they are recorded from here.
    await runImporter(
      {
        input: { kind: 'memory', name: file.name, bytes: file.bytes.slice(), originalPath: waiting.originalPath },
        job: jobOf(query, file.map, waiting.options),
      },
      recordTarget(services, viewer),
      take,
      { cut: AbortSignal.any([signal, deadline]), maxHeapMib: MAX_HEAP_MIB },
    )
  } catch (error) {
    if (deadline.aborted && !signal.aborted) refuse(null, TOO_SLOW)
    else if (error instanceof ImportTooLarge)
      refuse(null, `needs more than ${MAX_HEAP_MIB} MiB of memory to be converted: use the command ers import`)
    else throw error
  }
  if (ownLines !== null) {
    format = 'ers'
    await recordOwn(result, file, ownLines, asked)
  }
  return {
    format,
    runs,
    refused,
    losses: [...losses.all()],
    scores: scores.all().map((score) => ({ ...score, range: score.range && [...score.range] })),
  }
}

const jobOf = (query: ImportQuery, map: string | null, evidence: EvidenceOptions | undefined): JobOptions => ({
  format: formatFor(query.format === 'auto' ? null : query.format, map ?? undefined),
  verify: false,
  onChanged: 'report',
  options: {
    project: query.project,
    suite: query.suite,
    provider: query.provider,
    scorers: query.scorer,
    passThreshold: query.pass_threshold?.findLast(({ name }) => name === null)?.value,
    passThresholds: Object.fromEntries(
      (query.pass_threshold ?? []).flatMap(({ name, value }) => (name === null ? [] : [[name, value] as const])),
    ),
    scoreRanges: Object.fromEntries((query.score ?? []).map(({ name, range }) => [name, range])),
    lowerIsBetter: query.lower_is_better,
    higherIsBetter: query.higher_is_better,
    timeZone: query.time_zone,
    importedAt: Date.now(),
    createdAt: query.created_at,
    aggregates: query.aggregates,
    strict: query.strict,
    map: map ?? undefined,
    evidence,
  },
})

/** What the viewer may see of the store. A run that is hidden from them is refused when it is recorded. */
const recordTarget = ({ reader, documents }: Pick<Services, 'reader' | 'documents'>, viewer: Viewer): Target => ({
  known: async (run_id) => {
    const text = await findConfig(reader, viewer, run_id)
    return text === null ? null : { import: importedFrom(text) }
  },
  content: async (run_id) => {
    const run = await reader.read(findRun(viewer, run_id))
    if (!run) return null
    const parts: Uint8Array[] = []
    for await (const part of documents.whole(run)) parts.push(part)
    return Buffer.concat(parts)
  },
  hasEvidence: async (run_id) => {
    const run = await reader.read(findRun(viewer, run_id))
    return !run || (await reader.read(listEvidence(run.run_no))).length > 0
  },
})
