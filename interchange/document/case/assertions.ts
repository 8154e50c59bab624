import { isKnown } from '../known.ts'
import type { AssertionDraft } from './case-draft.ts'
import { DEFAULT_PASS_THRESHOLD } from '../import-options.ts'
import type { ImportOptions } from '../import-options.ts'
import type { Losses } from '../losses.ts'
import type { Json } from '../../../domain/run/readers.ts'

/** An assertion as it is in a run document. */
export type AssertionDocument = {
  kind: string
  status: 'pass' | 'fail' | 'error' | 'skipped'
  score: number
  weight: number
  reason: string
  details?: Json
  criteria?: Json
  cached: false
  cost_usd?: number
}

export type JudgedAssertion = { readonly document: AssertionDocument; readonly decides: boolean }

/**
 * Gives an assertion its result and its score in 0..1. A score without a result passes from a threshold on: that of the
 * source, else that of the option, which is recorded as assumed. A score outside of 0..1 is scaled if the source names
 * its range; otherwise it decides nothing, and stays in `details`.
 */
export const judgeAssertion = (
  draft: AssertionDraft,
  options: ImportOptions,
  losses: Losses,
  path: string,
): JudgedAssertion => {
  const name = draft.name ?? draft.originalType ?? draft.kind
  const scaled = scaledScore(draft)
  const isOutside = scaled !== null && (scaled < 0 || scaled > 1)
  if (isOutside) losses.add('changed', `${path}.score`, draft.score, `${name}: outside of 0..1, in details alone`)
  const score = isOutside ? null : scaled
  const status = draft.status ?? statusOf(draft, name, score, options, losses, path)
  const scorers = options.scorers ?? []
  const isChosen = scorers.length > 0 ? scorers.includes(name) : (draft.decides ?? true)
  const decides = isChosen && !(isOutside && draft.passed === null)
  const criteria = {
    ...draft.criteria,
    ...(draft.name !== null && { name: draft.name }),
    ...(isKnown(draft.originalType) && { original_type: draft.originalType }),
  }
  const details: Json | undefined = isOutside ? withScore(draft.details, draft.score) : draft.details
  return {
    decides,
    document: {
      kind: draft.kind,
      status,
      score: score ?? (status === 'pass' ? 1 : 0),
      weight: decides ? (draft.weight ?? 1) : 0,
      reason: draft.reason ?? '',
      ...(details !== undefined && details !== null && { details }),
      ...(Object.keys(criteria).length > 0 && { criteria: { type: draft.kind, ...criteria } }),
      cached: false,
      ...(isKnown(draft.costUsd) && Number.isFinite(draft.costUsd) && { cost_usd: draft.costUsd }),
    },
  }
}

const scaledScore = ({ score, range }: AssertionDraft): number | null => {
  if (score === null || !Number.isFinite(score)) return null
  if (range === undefined || range[1] <= range[0]) return score
  return (score - range[0]) / (range[1] - range[0])
}

const statusOf = (
  draft: AssertionDraft,
  name: string,
  score: number | null,
  options: ImportOptions,
  losses: Losses,
  path: string,
): AssertionDocument['status'] => {
  const given = options.passThresholds?.[name] ?? options.passThreshold
  if (draft.passed !== null) return draft.passed ? 'pass' : 'fail'
  if (score === null) return 'skipped'
  if (isKnown(draft.threshold) && given === undefined) {
    return (draft.score ?? 0) >= draft.threshold ? 'pass' : 'fail'
  }
  const threshold = given ?? DEFAULT_PASS_THRESHOLD
  losses.add('assumed', `${path}.status`, threshold, `${name}: passes from a score of ${threshold} on`)
  return score >= threshold ? 'pass' : 'fail'
}

const withScore = (details: Json | undefined, score: number | null): Json =>
  typeof details === 'object' && details !== null && !Array.isArray(details)
    ? { ...details, score }
    : { score, ...(details !== undefined && details !== null && { details }) }

/** The status of a case by its assertions: the first rule that applies. */
export const statusOfAsserts = (judged: readonly JudgedAssertion[]): 'pass' | 'fail' | 'error' | 'skip' => {
  const deciding = judged.filter(({ decides }) => decides).map(({ document }) => document.status)
  if (deciding.includes('error')) return 'error'
  if (deciding.includes('fail')) return 'fail'
  return deciding.includes('pass') ? 'pass' : 'skip'
}

/** The weighted mean of the deciding scores; 0 if nothing decides. */
export const scoreOfAsserts = (judged: readonly JudgedAssertion[]): number => {
  let sum = 0
  let weights = 0
  for (const { document, decides } of judged) {
    if (!decides || document.status === 'skipped') continue
    sum += document.score * document.weight
    weights += document.weight
  }
  return weights === 0 ? 0 : sum / weights
}
