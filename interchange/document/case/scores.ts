import { DEFAULT_PASS_THRESHOLD, type ImportOptions, type ScoreRange } from '../import-options.ts'
import { isKnown } from '../known.ts'
import type { AssertionDraft } from './case-draft.ts'
import { mayBeLowerBetter, namesOf } from './score-names.ts'

/** The range of a score if neither the source nor an option gives one. */
const UNIT: ScoreRange = [0, 1]
/** The part of a range by which a value may miss an end of it, as sums of floating-point numbers do. */
const TOLERANCE = 1e-6
/** The number of names whose values are followed. A score of a further name decides nothing. */
const MAX_NAMES = 10_000
/** The number of scores that a report lists. */
const MAX_LISTED = 50

/** The position of a value in a range, from 0 to 1. A value next to an end counts as that end. Null if it is outside. */
export const shareOf = (value: number, [low, high]: ScoreRange): number | null => {
  const share = (value - low) / (high - low)
  if (share < -TOLERANCE || share > 1 + TOLERANCE || Number.isNaN(share)) return null
  return share <= TOLERANCE ? 0 : share >= 1 - TOLERANCE ? 1 : share
}

/** The name of an assertion, as the tool shows it. */
export const scoreName = ({ name, originalType, kind }: AssertionDraft): string => name ?? originalType ?? kind

/** A yes or no that a tool stores as the value of a score: true is its highest value. */
export const truthScore = (value: boolean): Pick<AssertionDraft, 'passed' | 'score' | 'range'> => ({
  passed: null,
  score: value ? 1 : 0,
  range: UNIT,
})

/** What an import asks about a score before it may decide: its range, or whether a low value is good. */
export type ScoreQuestion = 'range' | 'direction'

/** The values of a score without a result of its own, and whether the import lets it decide. */
export type ScoreReport = {
  readonly name: string
  readonly values: number
  readonly min: number
  readonly max: number
  /** From an option or the source. Null: nothing says it, and 0 to 1 is assumed if all values fit. */
  readonly range: ScoreRange | null
  readonly lower_is_better: boolean
  readonly decides: boolean
  /** The value from which on it passes, or up to which if lower is better. Null: it decides nothing. */
  readonly passes_from: number | null
  readonly asks: ScoreQuestion | null
}

/** How a value is read. */
export type Reading = {
  /** The options for this score. */
  readonly options: NameOptions
  /** Its position from 0 to 1, where 1 is good. Null without a value, or if a value of the score is out of its range. */
  readonly position: number | null
  /** Whether the score has values out of its range. */
  readonly isOff: boolean
  /** Whether it is unknown if a low value is good. */
  readonly isUnclear: boolean
  readonly isLower: boolean
  /** Whether it reaches the threshold; null if that is unknown. */
  readonly reaches: boolean | null
  /** The threshold that was assumed or set by an option, where it made a difference. */
  readonly assumed: number | null
  /** Whether the value is not the position itself. */
  readonly isScaled: boolean
}

/** The options for one name. */
type NameOptions = {
  readonly range: ScoreRange | null
  readonly lowerIsBetter: boolean | null
  /** `isNamed`: given for this name alone. */
  readonly threshold: { readonly value: number; readonly isNamed: boolean } | null
  readonly isScorer: boolean
}

/** Names of scores with values out of their range. `open`: scores without a result of their own; `judged`: the others. */
export type OffNames = { readonly open: ReadonlySet<string>; readonly judged: ReadonlySet<string> }
const NO_NAMES: OffNames = { open: new Set(), judged: new Set() }

type Facts = {
  values: number
  min: number
  max: number
  range: ScoreRange | null
  isLower: boolean
  isUnclear: boolean
  isChosen: boolean
  threshold: number
  /** A threshold of the options that is out of the range. */
  wrongThreshold: number | null
}

/** The scores of one reading of a run. */
export type Scores = {
  /** Reads the score of an assertion, and remembers it. */
  readonly read: (draft: AssertionDraft) => Reading
  /** The names with values out of their range, also those known before. */
  readonly off: () => OffNames
  /** Whether a score without a result of its own was read as if its values were in its range. */
  readonly hasOpen: () => boolean
  /** Whether each score that was read as if its values were in its range is in none of these names. */
  readonly agreesWith: (off: OffNames) => boolean
  /** Why a threshold of the options cannot be used; null if all can. */
  readonly problem: () => string | null
  readonly report: () => readonly ScoreReport[]
}

/**
 * Reads scores, one after the other. Whether the values of a score are from 0 to 1 is decided by all of them: one value
 * outside is enough that none of them counts. Such a value may be read after others of its score. Then the run has to be
 * read again, with the names in `known`.
 */
export const newScores = (options: ImportOptions, known: OffNames = NO_NAMES): Scores => {
  const ofOptions = optionsByName(options)
  const open = new Set(known.open)
  const judged = new Set(known.judged)
  const usedOpen = new Set<string>()
  const usedJudged = new Set<string>()
  const facts = new Map<string, Facts>()

  const read = (draft: AssertionDraft): Reading => {
    const name = scoreName(draft)
    const own = ofOptions(name)
    const range = own.range ?? draftRange(draft)
    const isOpen = draft.passed === null && draft.status === undefined
    const lower = own.lowerIsBetter ?? draft.lowerIsBetter ?? null
    const isUnclear = draft.passed === null && draft.status !== 'error' && lower === null && mayBeLowerBetter(name)
    const { score } = draft
    const isLower = lower ?? false
    const none = {
      ...{ options: own, isUnclear, isLower },
      ...{ position: null, isOff: false, reaches: null, assumed: null, isScaled: false },
    }
    if (score === null || !Number.isFinite(score)) return none
    const share = shareOf(score, range ?? UNIT)
    // An assertion without a name has only a type. Its values say nothing about other assertions of this type.
    const isAlone = draft.name === null && !isOpen
    const off = isOpen ? open : judged
    if (!isAlone && share === null) off.add(name)
    const isChosen = ofOptions.hasScorers ? own.isScorer : (draft.decides ?? true)
    const threshold = draftThreshold(own, draft, range ?? UNIT)
    const fact = isOpen ? see(name, score, { range, isLower, isUnclear, isChosen, threshold }) : null
    const isOff = share === null || (!isAlone && off.has(name)) || (isOpen && fact === null)
    if (isOff) return { ...none, isOff }
    if (!isAlone) (isOpen ? usedOpen : usedJudged).add(name)
    const position = isLower ? 1 - share : share
    const isScaled = isLower || (range !== null && (range[0] !== 0 || range[1] !== 1))
    if (!isOpen) return { ...none, position, isScaled }
    const [low, high] = range ?? UNIT
    const value = share === 0 ? low : share === 1 ? high : score
    const isEnd = share === 0 || share === 1
    const isUsable = threshold.isStated || shareOf(threshold.value, range ?? UNIT) !== null
    // A value at an end passes or fails under any threshold. One for all scores may be in the units of other scores.
    if (fact !== null && !isUsable && isChosen && (!isEnd || own.threshold?.isNamed))
      fact.wrongThreshold = threshold.value
    return {
      ...none,
      position,
      isScaled,
      reaches: !isUsable ? position === 1 : isLower ? value <= threshold.value : value >= threshold.value,
      assumed: threshold.isStated || (isEnd && range !== null && !threshold.isOption) ? null : threshold.value,
    }
  }

  /** Adds a value to the facts of its score. Null if there are too many names. */
  const see = (
    name: string,
    score: number,
    found: Pick<Facts, 'range' | 'isLower' | 'isUnclear' | 'isChosen'> & { readonly threshold: Threshold },
  ): Facts | null => {
    const before = facts.get(name)
    if (before === undefined) {
      if (facts.size >= MAX_NAMES) return null
      const first = {
        ...found,
        values: 1,
        min: score,
        max: score,
        threshold: found.threshold.value,
        wrongThreshold: null,
      }
      facts.set(name, first)
      return first
    }
    before.values += 1
    before.min = Math.min(before.min, score)
    before.max = Math.max(before.max, score)
    before.isChosen ||= found.isChosen
    before.isUnclear ||= found.isUnclear
    before.range ??= found.range
    return before
  }

  const asksOf = (name: string, { isChosen, isUnclear }: Facts): ScoreQuestion | null =>
    !isChosen ? null : open.has(name) ? 'range' : isUnclear ? 'direction' : null

  return {
    read,
    off: () => ({ open, judged }),
    hasOpen: () => usedOpen.size > 0,
    agreesWith: (off) =>
      ![...usedOpen].some((name) => off.open.has(name)) && ![...usedJudged].some((name) => off.judged.has(name)),
    problem: () => {
      for (const [name, { min, max, range, wrongThreshold, isChosen }] of facts) {
        const { threshold } = ofOptions(name)
        if (isChosen && open.has(name) && threshold?.isNamed)
          return `--pass-threshold ${name}=${threshold.value}: ${outside(name, min, max, range)}: give the range with --score ${name}=MIN..MAX`
        if (wrongThreshold !== null && !open.has(name))
          return `--pass-threshold ${wrongThreshold}: the scores of ${name} are from ${(range ?? UNIT).join(' to ')}: give a threshold in these units, with --pass-threshold ${name}=X`
      }
      return null
    },
    report: () =>
      [...facts]
        .map(([name, fact]): ScoreReport => {
          const asks = asksOf(name, fact)
          const decides = fact.isChosen && asks === null
          return {
            name,
            values: fact.values,
            min: fact.min,
            max: fact.max,
            range: fact.range,
            lower_is_better: fact.isLower,
            decides,
            passes_from: decides ? fact.threshold : null,
            asks,
          }
        })
        .sort(byWeight)
        .slice(0, MAX_LISTED),
  }
}

/** Merges the scores of several runs by name. A merged score asks if it asks in one of the runs. */
export const mergeScores = () => {
  const found = new Map<string, ScoreReport>()
  return {
    add: (reports: readonly ScoreReport[]): void => {
      for (const report of reports) {
        const known = found.get(report.name)
        if (known === undefined) {
          if (found.size < MAX_NAMES) found.set(report.name, report)
          continue
        }
        const asks = known.asks ?? report.asks
        const decides = asks === null && (known.decides || report.decides)
        found.set(report.name, {
          ...known,
          values: known.values + report.values,
          min: Math.min(known.min, report.min),
          max: Math.max(known.max, report.max),
          range: known.range ?? report.range,
          decides,
          passes_from: decides ? (known.passes_from ?? report.passes_from) : null,
          asks,
        })
      }
    },
    all: (): readonly ScoreReport[] => [...found.values()].sort(byWeight).slice(0, MAX_LISTED),
  }
}

/** Questions first, then scores that decide. */
const byWeight = (a: ScoreReport, b: ScoreReport): number =>
  Number(b.asks !== null) - Number(a.asks !== null) ||
  Number(b.decides) - Number(a.decides) ||
  (a.name < b.name ? -1 : 1)

const outside = (name: string, min: number, max: number, range: ScoreRange | null): string =>
  `the values of ${name} are from ${min} to ${max}, not from ${(range ?? UNIT).join(' to ')}`

type Threshold = { readonly value: number; readonly isOption: boolean; readonly isStated: boolean }

/** In the units of the score: of an option, else of the source, else the middle of the range. */
const draftThreshold = ({ threshold }: NameOptions, draft: AssertionDraft, [low, high]: ScoreRange): Threshold => {
  if (threshold !== null) return { value: threshold.value, isOption: true, isStated: false }
  if (isKnown(draft.threshold)) return { value: draft.threshold, isOption: false, isStated: true }
  return { value: low + (high - low) * DEFAULT_PASS_THRESHOLD, isOption: false, isStated: false }
}

const draftRange = ({ range }: AssertionDraft): ScoreRange | null =>
  range !== undefined && range[1] > range[0] ? range : null

/** Looks up what the options say of a name, once a name. */
const optionsByName = (options: ImportOptions) => {
  const { scoreRanges = {}, passThresholds = {}, passThreshold } = options
  const [lower, higher, scorers] = [options.lowerIsBetter, options.higherIsBetter, options.scorers].map(
    (names) => new Set(names),
  )
  const found = new Map<string, NameOptions>()
  const read = (name: string): NameOptions => {
    const names = namesOf(name)
    const isIn = (set: ReadonlySet<string> | undefined) => names.some((one) => set?.has(one))
    const at = <T>(record: Readonly<Record<string, T>>): T | undefined => {
      const key = names.find((one) => Object.hasOwn(record, one))
      return key === undefined ? undefined : record[key]
    }
    const threshold = at(passThresholds)
    return {
      range: at(scoreRanges) ?? null,
      lowerIsBetter: isIn(lower) ? true : isIn(higher) ? false : null,
      threshold:
        threshold !== undefined
          ? { value: threshold, isNamed: true }
          : passThreshold !== undefined
            ? { value: passThreshold, isNamed: false }
            : null,
      isScorer: isIn(scorers),
    }
  }
  const ofName = (name: string): NameOptions => {
    const known = found.get(name)
    if (known !== undefined) return known
    const own = read(name)
    if (found.size < MAX_NAMES) found.set(name, own)
    return own
  }
  return Object.assign(ofName, { hasScorers: (scorers?.size ?? 0) > 0 })
}
