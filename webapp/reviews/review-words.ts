import type { RunCalibration } from '../../queries/reviews/calibration.ts'
import type { ReviewQueue } from '../../queries/reviews/queues.ts'
import { formatCount, plural } from '../text/format.ts'
import { visibleLine } from '../text/visible-text.ts'

/** What the state of a calibration is called. */
export const STATE_WORDS: Readonly<Record<RunCalibration['state'], string>> = {
  good: 'Calibrated',
  stale: 'Stale',
  weak: 'Weak',
  none: 'Not checked',
}

/** That the judge changed, and in what: "judge changed (model)". */
export const judgeWords = (changed: ReadonlyArray<{ readonly differs: readonly string[] }>): string => {
  const fields = [...new Set(changed.flatMap(({ differs }) => differs))].map((field) => field.replaceAll('_', ' '))
  return `judge changed (${fields.join(', ')})`
}

/** What people judge in a queue. */
export const targetWords = ({ target, metric }: Pick<ReviewQueue, 'target' | 'metric'>): string =>
  target === 'case' ? 'whole cases' : visibleLine(metric ?? '')

const KIND_WORDS: Readonly<Record<string, string>> = {
  random: 'at random',
  by_verdict: 'at random within each verdict of the judge',
  near_threshold: 'those whose score is nearest to the threshold',
  disagreement: 'those with another verdict elsewhere',
  suspected: 'those that people judged otherwise',
  list: 'named ones',
  imported: 'those that were imported',
}

/** How the cases of a queue were chosen, in a sentence. While it is open, nothing of the judge's verdicts is said. */
export const selectionWords = ({
  items,
  runs,
  selection,
}: Pick<ReviewQueue, 'items' | 'runs' | 'selection'>): string => {
  const judged = runs.reduce((sum, { passed, failed }) => sum + passed + failed, 0)
  const kind = KIND_WORDS[selection.kind] ?? selection.kind
  return `${formatCount(items)} of ${formatCount(judged)} judged, ${kind}`
}

/** What happens to a case whose labels differ. */
export const resolveWords = ({ per_item, resolve }: Pick<ReviewQueue, 'per_item' | 'resolve'>): string =>
  per_item === 1
    ? 'one'
    : `${per_item}, by different people; ${
        resolve === 'majority' ? 'the majority decides where they differ' : 'an adjudicator decides where they differ'
      }`

/** How far a queue came: as much as the viewer may know. */
export const progressWords = ({ progress, items, per_item, closed_at }: ReviewQueue): string => {
  if (progress === null) return plural(items, 'case')
  if (closed_at !== null) return `${formatCount(progress.final ?? 0)} of ${plural(items, 'case')} decided`
  return `${formatCount(progress.given)} of ${plural(items * per_item, 'label')}`
}

/** A deciding answer in words; other answers are the names of options. */
export const answerWords = (answer: string | null): string =>
  answer === null || answer === 'cannot_tell'
    ? 'Cannot tell'
    : answer === 'pass'
      ? 'Pass'
      : answer === 'fail'
        ? 'Fail'
        : visibleLine(answer)

/** Half of an interval, in points: `±5.5 points`. */
export const halfWidth = ({ lower, upper }: { readonly lower: number; readonly upper: number }): string =>
  `±${((100 * (upper - lower)) / 2).toFixed(1)} points`
