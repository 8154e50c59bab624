import { isObject } from '../../../domain/plain/is-object.ts'
import { isKnown } from '../known.ts'
import type { AssertionDraft } from './case-draft.ts'
import { scoreName, type Reading, type Scores } from './scores.ts'
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
 * Gives an assertion its result and its score in 0..1, of which 1 is good. A score without a result passes from a threshold
 * on: that of an option, else of the source, else the middle of its range. A score with values out of its range, or of
 * which nothing says whether a low value is good, has no result and decides nothing; its value stays in `details`.
 */
export const judgeAssertion = (
  draft: AssertionDraft,
  options: ImportOptions,
  scores: Scores,
  losses: Losses,
  path: string,
): JudgedAssertion => {
  const name = scoreName(draft)
  const reading = scores.read(draft)
  const { position, isOff, isUnclear } = reading
  if (isOff)
    losses.add('changed', `${path}.score`, draft.score, `${name}: has values out of its range, stored in details only`)
  const isChosen = (options.scorers ?? []).length > 0 ? reading.options.isScorer : (draft.decides ?? true)
  const status = draft.status ?? assertionStatus(draft, reading)
  if (isUnclear && isChosen && draft.score !== null)
    losses.add('assumed', `${path}.status`, draft.score, `${name}: a low value may be good, so it decides nothing`)
  else if (reading.assumed !== null)
    losses.add('assumed', `${path}.status`, reading.assumed, thresholdNote(name, reading.assumed, reading.isLower))
  const decides = isChosen && !(draft.passed === null && (isOff || isUnclear))
  const criteria = {
    ...draft.criteria,
    ...(draft.name !== null && { name: draft.name }),
    ...(isKnown(draft.originalType) && { original_type: draft.originalType }),
  }
  const details: Json | undefined = isOff || reading.isScaled ? withScore(draft.details, draft.score) : draft.details
  return {
    decides,
    document: {
      kind: draft.kind,
      status,
      score: position ?? (status === 'pass' ? 1 : 0),
      weight: decides ? (draft.weight ?? 1) : 0,
      reason: draft.reason ?? '',
      ...(details !== undefined && details !== null && { details }),
      ...(Object.keys(criteria).length > 0 && { criteria: { type: draft.kind, ...criteria } }),
      cached: false,
      ...(isKnown(draft.costUsd) && Number.isFinite(draft.costUsd) && { cost_usd: draft.costUsd }),
    },
  }
}

const assertionStatus = (draft: AssertionDraft, { reaches, isUnclear }: Reading): AssertionDocument['status'] => {
  if (draft.passed !== null) return draft.passed ? 'pass' : 'fail'
  if (reaches === null || isUnclear) return 'skipped'
  return reaches ? 'pass' : 'fail'
}

const thresholdNote = (name: string, threshold: number, isLower: boolean): string =>
  isLower ? `${name}: passes up to a score of ${threshold}` : `${name}: passes from a score of ${threshold} on`

const withScore = (details: Json | undefined, score: number | null): Json =>
  isObject(details) ? { ...details, score } : { score, ...(details !== undefined && details !== null && { details }) }

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
