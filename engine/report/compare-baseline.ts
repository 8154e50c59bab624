import { resolveBaseline, type BaselineContext } from '../store/baseline.ts'
import { compareRuns, type Comparison } from './compare.ts'

/** What a summary says of a baseline: the comparison, or a note why there is none. Empty: none was asked for. */
export type Compared = {
  readonly comparison?: Comparison
  readonly note?: string
  readonly reason?: string
  /** Whether the baseline was named but cannot be used, which is an error. One that does not exist yet is none. */
  readonly failed?: boolean
}

/** Compares a run with the baseline that a reference names. Throws `UsageError` for a reference that is none. */
export const compareWithBaseline = async (reference: string, context: BaselineContext): Promise<Compared> => {
  const baseline = await resolveBaseline(reference, context)
  if (baseline.kind === 'none') return {}
  if (baseline.kind === 'found') return { comparison: compareRuns(baseline.run, context.run) }
  const { kind, reason } = baseline
  return { note: noComparison(reason), reason, failed: kind === 'failed' }
}

/** The note of a summary without a comparison. */
export const noComparison = (reason: string): string => `No comparison: ${reason}`
