import type { Json } from '../../domain/run/readers.ts'
import type { EvidenceOptions } from './evidence/case-evidence.ts'

/** What an import keeps of its sources apart from the documents. */
export const EVIDENCE_CHOICES = ['all', 'transcripts', 'none'] as const

/** The lowest and the highest value of a score, in this order. */
export type ScoreRange = readonly [number, number]

/** What the user sets for an import. All members are plain data: they are sent to a thread. */
export type ImportOptions = {
  readonly project?: string | undefined
  readonly suite?: string | undefined
  readonly provider?: string | undefined
  readonly tags?: readonly string[] | undefined
  readonly branch?: string | undefined
  readonly commit?: string | undefined
  /** The names of the assertions that decide a case. Empty: those that decide in the tool. */
  readonly scorers?: readonly string[] | undefined
  /** From which score on an assertion without a result of its own passes, in the units of the score. */
  readonly passThreshold?: number | undefined
  readonly passThresholds?: Readonly<Record<string, number>> | undefined
  /** The ranges of scores by name, instead of what the source says. */
  readonly scoreRanges?: Readonly<Record<string, ScoreRange>> | undefined
  /** The names of scores of which a low value is good, and of those of which a high one is. */
  readonly lowerIsBetter?: readonly string[] | undefined
  readonly higherIsBetter?: readonly string[] | undefined
  /** The IANA zone of times that have none. */
  readonly timeZone?: string | undefined
  /** Epoch ms of the import. A time of a source more than a day later is that of a wrong clock. */
  readonly importedAt?: number | undefined
  /** RFC 3339: the time of runs whose source has none. */
  readonly createdAt?: string | undefined
  /** Epoch ms: other runs are passed over. */
  readonly since?: number | undefined
  readonly until?: number | undefined
  /** Whether a source with totals only becomes a run with a case for each total. */
  readonly aggregates?: boolean | undefined
  /** Whether a run is refused if its tool counts other cases than its file holds. */
  readonly strict?: boolean | undefined
  /** The text of a table map, or the name of a preset such as `preset:ragas`. */
  readonly map?: string | undefined
  /** What is kept of the sources apart from the documents. Absent: nothing. */
  readonly evidence?: EvidenceOptions | undefined
}

export const DEFAULT_PASS_THRESHOLD = 0.5

/**
 * The given options that decide verdicts: with different ones, the same source gives different results. Null if none is
 * given.
 */
export const verdictOptions = (options: ImportOptions): { readonly [name: string]: Json } | null => {
  const { scorers = [], passThreshold, passThresholds = {}, scoreRanges = {} } = options
  const { lowerIsBetter = [], higherIsBetter = [] } = options
  const given = {
    ...(scorers.length > 0 && { scorers: [...new Set(scorers)].sort() }),
    ...(passThreshold !== undefined && { pass_threshold: passThreshold }),
    ...(Object.keys(passThresholds).length > 0 && { pass_thresholds: { ...passThresholds } }),
    ...(Object.keys(scoreRanges).length > 0 && { score_ranges: rangesOf(scoreRanges) }),
    ...(lowerIsBetter.length > 0 && { lower_is_better: [...new Set(lowerIsBetter)].sort() }),
    ...(higherIsBetter.length > 0 && { higher_is_better: [...new Set(higherIsBetter)].sort() }),
  }
  return Object.keys(given).length === 0 ? null : given
}

/** Parses `NAME=MIN..MAX`, the range of a score. Null if it is something else, or an empty range. */
export const parseScoreRange = (text: string): { readonly name: string; readonly range: ScoreRange } | null => {
  const [, name = '', low = '', high = ''] = SCORE_RANGE.exec(text) ?? []
  const range: ScoreRange = [Number(low), Number(high)]
  return name !== '' && range[1] > range[0] && range.every(Number.isFinite) ? { name, range } : null
}

/** Parses `X` or `NAME=X`, a threshold in the units of a score. Null if it is something else. */
export const parsePassThreshold = (text: string): { readonly name: string | null; readonly value: number } | null => {
  const [, name = null, number = ''] = PASS_THRESHOLD.exec(text) ?? []
  const value = Number(number)
  return number !== '' && Number.isFinite(value) ? { name, value } : null
}

const NUMBER = String.raw`-?(?:\d+(?:\.\d+)?|\.\d+)`
// The name may hold `=`.
const SCORE_RANGE = new RegExp(String.raw`^(.+)=(${NUMBER})\.\.(${NUMBER})$`, 's')
const PASS_THRESHOLD = new RegExp(`^(?:(.+)=)?(${NUMBER})$`, 's')

const rangesOf = (ranges: Readonly<Record<string, ScoreRange>>): Record<string, Json> =>
  Object.fromEntries(Object.entries(ranges).map(([name, [low, high]]) => [name, [low, high]]))
