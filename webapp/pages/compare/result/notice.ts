import type { ComparisonStatistics } from '../../../../queries/statistics/comparison-statistics.ts'
import type { NearestRun } from '../../../../queries/runs/nearest-run.ts'
import { formatCount, formatRate, plural } from '../../../text/format.ts'
import { judgeWords } from '../../../reviews/review-words.ts'
import { setName } from '../../../runs/run-name.ts'
import { casesWords, isFewShared, sidesWord, type PairNames } from './verdict.ts'

/** Why two runs are hard to compare, in one sentence; null if they are not. */
export const noticeTitle = (statistics: ComparisonStatistics): string | null => {
  const { pairs, shared, base, head, same_suite } = statistics
  if (!isFewShared(statistics)) return same_suite ? null : 'The runs are of different suites.'
  if (shared.cases === 0) return `The two ${sidesWord(statistics)} have no case in common.`
  if (pairs === 0) return `No case passed or failed in both ${sidesWord(statistics)}.`
  return `Only ${formatCount(pairs)} of ${casesWords(Math.max(base.case_count, head.case_count))} ran in both ${sidesWord(statistics)}.`
}

/** That another judge decided in the second run, in a sentence for the notice above the verdict; null if none did. */
export const judgeNotice = ({ judge_changed = [] }: Pick<ComparisonStatistics, 'judge_changed'>): string | null => {
  if (judge_changed.length === 0) return null
  return `The ${judgeWords(judge_changed)}. A difference may be the judge's.`
}

const onlyIn = (n: number, one: string, other: string): string =>
  `${casesWords(n)} of ${one} ${n === 1 ? 'is' : 'are'} not in ${other}.`

const skippedWords = (skipped: number, passed: number, { base, head }: PairNames): string => {
  if (skipped === 1) return `${head} skipped 1 case, which ${passed === 1 ? 'passed' : 'did not pass'} in ${base}.`
  const part = passed === 0 ? 'none' : passed === skipped ? 'all' : formatCount(passed)
  return `${head} skipped ${casesWords(skipped)}, ${part} of which passed in ${base}.`
}

/** What the notice adds to its title, sentence by sentence. */
export const noticeReasons = (statistics: ComparisonStatistics, names: PairNames): string[] => {
  const { left_out_by: by, shared, base, head, same_suite, pairs } = statistics
  const skipped = by.passed_then_neutral + by.failed_then_neutral
  return [
    ...(same_suite ? [] : [`${names.base} is of ${setName(base)}, ${names.head} of ${setName(head)}.`]),
    ...(skipped > 0 ? [skippedWords(skipped, by.passed_then_neutral, names)] : []),
    ...(shared.base_only > 0 ? [onlyIn(shared.base_only, names.base, names.head)] : []),
    ...(shared.head_only > 0 ? [onlyIn(shared.head_only, names.head, names.base)] : []),
    ...(isFewShared(statistics)
      ? [
          `Pass rates count all cases, so ${formatRate(head.pass_rate.rate)} against ${formatRate(base.pass_rate.rate)} says how much was run, not how good it was.`,
        ]
      : []),
    pairs === 0 ? 'So there is no verdict.' : `The verdict uses the ${casesWords(pairs)} that ran in both.`,
  ]
}

/** Why no other run can be suggested for the head. Empty if it is not known. */
export const noNearest = (
  { others }: Pick<NearestRun, 'others'>,
  { head }: { readonly head: Pick<ComparisonStatistics['head'], 'suite' | 'case_count'> },
  name: string,
): string => {
  if (head.suite === null) return `${name} has no suite, so no other run is like it.`
  if (others === null) return ''
  if (others.runs === 0) return `The suite of ${name} has no other run.`
  if (others.same_providers === 0)
    return `No other run has the providers of ${name}: the ${plural(others.runs, 'other run')} of its suite ${others.runs === 1 ? 'is' : 'are'} of other providers.`
  return `No other run shares enough cases: of the ${plural(others.same_providers, 'run')} with the providers of ${name}, the nearest shares ${casesWords(others.most_pairs)}, and 60% of the larger run are needed.`
}
