import { keepsOriginal, removeEvidence, type RunEvidence } from '../document/evidence/collect-evidence.ts'
import { compareRuns, type CaseDigests } from './compare-runs.ts'
import { offNamesOf, stampOf, toRunDocument, type Conversion, type ConvertedRun } from '../document/to-run-document.ts'
import { asConvertedRun } from './whole-document.ts'
import { asIdentity, runId } from '../document/identity.ts'
import { newLosses } from '../document/losses.ts'
import { SourceRefused } from '../document/source-refused.ts'
import { loadOnce } from '../read/load-once.ts'
import type { SourceRun } from '../importers/importer.ts'

/** What the target says of a run it has. */
export type KnownRun = {
  /** The `import` of its configuration; null if it was not imported. */
  readonly import: { readonly id: string; readonly stamp: string } | null
}

/** Questions to the target of an import. */
export type Target = {
  readonly known: (run_id: string) => Promise<KnownRun | null>
  /** The document of a run as it was stored, or the digests of its cases; null if it was deleted meanwhile. */
  readonly content: (run_id: string) => Promise<Uint8Array | CaseDigests | null>
  /** Whether a stored run has evidence. Absent: none is kept there. */
  readonly hasEvidence?: (run_id: string) => Promise<boolean>
}

/** What happens to a run that is stored with other content: it is reported, replaced, or stored under another id. */
export type OnChanged = 'report' | 'replace' | 'as-new'

/** A run of a source, and its result. */
export type RunResult = {
  /** The name of the run in its file; null if the file is one run. */
  readonly part: string | null
  readonly identity: string | null
  readonly run_id: string | null
} & (
  | { readonly outcome: 'converted'; readonly run: ConvertedRun; readonly replaces: boolean }
  | { readonly outcome: 'already_there' }
  /** Stored without the evidence that its source has, which is to be added. */
  | { readonly outcome: 'evidence_added'; readonly run: ConvertedRun; readonly evidence: RunEvidence }
  /** Stored with other content: nothing is written. */
  | { readonly outcome: 'changed'; readonly difference: string; readonly run: ConvertedRun }
  | { readonly outcome: 'refused'; readonly reason: string }
  /** Outside of `--since` and `--until`. */
  | { readonly outcome: 'passed_over' }
  /** Listed in a journal. */
  | { readonly outcome: 'skipped' }
)

export type ConvertOptions = {
  readonly verify: boolean
  readonly onChanged: OnChanged
  readonly isDone?: (part: string | null) => boolean
  /** Runs work that takes memory and time when none else runs. */
  readonly whenFree?: <T>(work: () => Promise<T>) => Promise<T>
}

/**
 * Converts the runs of a source that the target does not have. With `verify`, a run is compared with the stored one even
 * if its stamp is the same. A run that cannot be converted is refused, and the others follow. Yields the result of each
 * run after `report` has settled for it; a converted document is in memory only until then.
 */
export const convertSource = async function* (
  conversion: Conversion,
  target: Target,
  { verify, onChanged, isDone = () => false, whenFree = (work) => work() }: ConvertOptions,
  report: (result: RunResult) => Promise<void> = async () => {},
): AsyncGenerator<RunResult> {
  const { importer, source, options } = conversion
  const offInSource = loadOnce(() => offNamesOf(conversion))

  const lacksEvidence = async (run_id: string): Promise<boolean> => (await target.hasEvidence?.(run_id)) === false
  const canHaveEvidence = (run: SourceRun): boolean =>
    options.evidence !== undefined && (importer.hasTranscripts === true || keepsOriginal(options.evidence, source, run))

  const convert = async (run: SourceRun): Promise<RunResult> => {
    const { part = null, identity } = run
    if (run.document && !isDone(part)) {
      const { document } = run
      // Asked before the turn of this run: an answer may wait for another run that waits for its turn.
      const known = await target.known(asConvertedRun(await document()).run_id)
      return whenFree(async () => {
        const converted = asConvertedRun(await document())
        return reported(await compare({ part, identity, run_id: converted.run_id }, converted, known))
      })
    }
    const run_id = runId(importer.format, identity)
    const named = { part, identity, run_id }
    if (isDone(part)) return reported({ ...named, outcome: 'skipped' })
    if (isOutside(run.timeMs ?? null, options)) return reported({ ...named, outcome: 'passed_over' })
    // Before the question: other files are read until its answer is there, and a small file is in memory only until then.
    const stamp = await stampOf(run, conversion)
    const known = await target.known(run_id)
    if (known !== null && !isSameRun(known, identity))
      return reported({ ...named, outcome: 'refused', reason: `another run is stored under the id ${run_id}` })
    const isStored = known !== null && known.import?.stamp === stamp && !verify
    if (isStored && !(canHaveEvidence(run) && (await lacksEvidence(run_id))))
      return reported({ ...named, outcome: 'already_there' })
    return whenFree(async () => reported(await compareOrConvert(run, run_id, stamp, known)))
  }

  const reported = async (result: RunResult): Promise<RunResult> => {
    await report(result)
    return result
  }

  const compareOrConvert = async (
    run: SourceRun,
    run_id: string,
    stamp: string,
    known: KnownRun | null,
    copy = 1,
  ): Promise<RunResult> => {
    const id = copy === 1 ? run_id : `${run_id}~${copy}`
    const named = { part: run.part ?? null, identity: run.identity, run_id: id }
    const converted = await refusing(() => toRunDocument(conversion, run, stamp, id, offInSource))
    if ('refused' in converted) return { ...named, outcome: 'refused', reason: converted.refused }
    const plain = () => toRunDocument(withoutEvidence(conversion), run, stamp, id, offInSource)
    const result = await compare(named, converted, known, plain)
    if (converted.evidence !== null && result.outcome !== 'converted' && result.outcome !== 'evidence_added')
      removeEvidence(converted.evidence)
    if (result.outcome !== 'changed' || onChanged !== 'as-new') return result
    const next = await target.known(`${run_id}~${copy + 1}`)
    return compareOrConvert(run, run_id, stamp, next, copy + 1)
  }

  /** Compares a converted run with the stored one. The target has it already if all of its cases are the same. */
  const compare = async (
    named: Pick<RunResult, 'part' | 'identity'> & { readonly run_id: string },
    converted: ConvertedRun,
    known: KnownRun | null,
    plain?: () => Promise<ConvertedRun>,
  ): Promise<RunResult> => {
    if (isOutside(Date.parse(converted.finished_at), options)) return { ...named, outcome: 'passed_over' }
    const stored = known === null ? null : await target.content(named.run_id)
    if (stored === null) return { ...named, outcome: 'converted', run: converted, replaces: false }
    const { evidence } = converted
    let difference = compareRuns(stored, converted.bytes)
    // A run that was stored without evidence has its pictures in the document itself.
    if (difference !== null && evidence !== null && plain !== undefined)
      difference = compareRuns(stored, (await plain()).bytes)
    if (difference === null)
      return evidence === null || !(await lacksEvidence(named.run_id))
        ? { ...named, outcome: 'already_there' }
        : { ...named, outcome: 'evidence_added', run: converted, evidence }
    return onChanged === 'replace'
      ? { ...named, outcome: 'converted', run: converted, replaces: true }
      : { ...named, outcome: 'changed', run: converted, difference }
  }

  try {
    for await (const run of importer.open(source, options)) {
      const result = await refusing(() => convert(run))
      if (!('refused' in result)) {
        yield result
        continue
      }
      const run_id = run.document ? null : runId(importer.format, run.identity)
      const { part = null, identity } = run
      yield await reported({ part, identity, run_id, outcome: 'refused', reason: result.refused })
    }
  } catch (error) {
    if (!(error instanceof SourceRefused)) throw error
    yield await reported({ part: null, identity: null, run_id: null, outcome: 'refused', reason: error.message })
  }
}

const refusing = async <T>(work: () => Promise<T>): Promise<T | { readonly refused: string }> => {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof SourceRefused)) throw error
    return { refused: error.message }
  }
}

const withoutEvidence = ({ importer, source, options }: Conversion): Conversion => ({
  importer,
  source,
  options: { ...options, evidence: undefined },
})

const isSameRun = (known: KnownRun, identity: string): boolean =>
  known.import?.id === asIdentity(identity, newLosses(), '')

const isOutside = (timeMs: number | null, { since, until }: Conversion['options']): boolean =>
  timeMs !== null && ((since !== undefined && timeMs < since) || (until !== undefined && timeMs > until))
