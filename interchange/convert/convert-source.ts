import { compareRuns } from './compare-runs.ts'
import type { Conversion, ConvertedRun } from '../document/to-run-document.ts'
import { stampOf, toRunDocument } from '../document/to-run-document.ts'
import { asConvertedRun } from './whole-document.ts'
import { asIdentity, runId } from '../document/identity.ts'
import { newLosses } from '../document/losses.ts'
import { SourceRefused } from '../document/source-refused.ts'
import type { SourceRun } from '../importers/importer.ts'

/** What the target says of a run it has. */
export type KnownRun = {
  /** The `import` of its configuration; null if it was not imported. */
  readonly import: { readonly id: string; readonly stamp: string } | null
}

/** Questions to the target of an import. */
export type Target = {
  readonly known: (run_id: string) => Promise<KnownRun | null>
  /** The document of a run as it was stored; null if it was deleted meanwhile. */
  readonly content: (run_id: string) => Promise<Uint8Array | null>
}

/** A run of a source, and what came of it. */
export type RunResult = {
  /** The name of the run in its file; null if the file is one run. */
  readonly part: string | null
  readonly identity: string | null
  readonly run_id: string | null
} & (
  | { readonly outcome: 'converted'; readonly run: ConvertedRun }
  | { readonly outcome: 'already_there' }
  /** Stored with other content. Nothing is written, unless the user asks for it: then `run` is uploaded. */
  | { readonly outcome: 'changed'; readonly run: ConvertedRun; readonly difference: string }
  | { readonly outcome: 'refused'; readonly reason: string }
  /** Outside of `--since` and `--until`. */
  | { readonly outcome: 'passed_over' }
)

/**
 * Converts the runs of a source that the target does not have. With `verify`, a run is compared with the stored one even
 * if its stamp is the same. A run that cannot be converted is refused, and the others follow.
 */
export const convertSource = async function* (
  conversion: Conversion,
  target: Target,
  { verify }: { readonly verify: boolean },
): AsyncGenerator<RunResult> {
  const { importer, source, options } = conversion
  try {
    for await (const run of importer.open(source, options)) yield await convertRun(conversion, run, target, verify)
  } catch (error) {
    if (!(error instanceof SourceRefused)) throw error
    yield { part: null, identity: null, run_id: null, outcome: 'refused', reason: error.message }
  }
}

const convertRun = async (
  conversion: Conversion,
  run: SourceRun,
  target: Target,
  verify: boolean,
): Promise<RunResult> => {
  const { importer, source, options } = conversion
  const { part, identity } = run
  if (run.document) return wholeRun(conversion, run, await run.document(), target)
  const run_id = runId(importer.format, identity)
  const result = { part, identity, run_id }
  if (isOutside(run.timeMs, options)) return { ...result, outcome: 'passed_over' }
  try {
    const known = await target.known(run_id)
    if (known !== null && known.import?.id !== asIdentity(identity, newLosses(), ''))
      return { ...result, outcome: 'refused', reason: `another run is stored under the id ${run_id}` }
    const stamp = run.stamp ?? (await stampOf(source))
    if (known !== null && known.import?.stamp === stamp && !verify) return { ...result, outcome: 'already_there' }
    const converted = await toRunDocument(conversion, run, stamp, run_id)
    if (isOutside(Date.parse(converted.finished_at), options)) return { ...result, outcome: 'passed_over' }
    const stored = known === null ? null : await target.content(run_id)
    if (stored === null) return { ...result, outcome: 'converted', run: converted }
    const difference = compareRuns(stored, converted.bytes)
    return difference === null
      ? { ...result, outcome: 'already_there' }
      : { ...result, outcome: 'changed', run: converted, difference }
  } catch (error) {
    if (!(error instanceof SourceRefused)) throw error
    return { ...result, outcome: 'refused', reason: error.message }
  }
}

/** A source that has a whole run document. The target has it already if all of its cases are the same. */
const wholeRun = async (
  { options }: Conversion,
  { part, identity }: SourceRun,
  bytes: Uint8Array,
  target: Target,
): Promise<RunResult> => {
  const converted = asConvertedRun(bytes)
  const { run_id } = converted
  const result = { part, identity, run_id }
  if (isOutside(Date.parse(converted.finished_at), options)) return { ...result, outcome: 'passed_over' }
  const stored = (await target.known(run_id)) === null ? null : await target.content(run_id)
  if (stored === null) return { ...result, outcome: 'converted', run: converted }
  const difference = compareRuns(stored, bytes)
  return difference === null
    ? { ...result, outcome: 'already_there' }
    : { ...result, outcome: 'changed', run: converted, difference }
}

const isOutside = (timeMs: number | null, { since, until }: Conversion['options']): boolean =>
  timeMs !== null && ((since !== undefined && timeMs < since) || (until !== undefined && timeMs > until))
