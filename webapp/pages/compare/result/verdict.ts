import type { ComparisonStatistics } from '../../../../queries/statistics/comparison-statistics.ts'
import { formatCount, plural } from '../../../text/format.ts'
import { chanceWords } from '../../../text/signed.ts'

/** How a page names the two sides of a comparison. */
export type PairNames = { readonly base: string; readonly head: string }

const SEPARATOR = ' · '

/** Names without the parts with which both begin. */
export const headNames = ({ base, head }: PairNames): PairNames => {
  const [own, other] = [base.split(SEPARATOR), head.split(SEPARATOR)]
  const longest = Math.min(own.length, other.length) - 1
  let same = 0
  while (same < longest && own[same] === other[same]) same++
  return { base: own.slice(same).join(SEPARATOR), head: other.slice(same).join(SEPARATOR) }
}

/** The longest name that the head of a column has room for, and the most that a word may have before the difference. */
const [HEAD_LENGTH, WORD_LENGTH] = [16, 10]

/** Names for narrow heads, which are cut at their end: if they are long, `…` stands for the words with which both begin. */
export const columnHeads = (names: PairNames): PairNames => {
  const { base, head } = headNames(names)
  if (Math.max(base.length, head.length) <= HEAD_LENGTH) return { base, head }
  let same = 0
  // The last character stays: a name with which the other one begins keeps its last word.
  while (same < Math.min(base.length, head.length) - 1 && base[same] === head[same]) same++
  const start = base.slice(0, same)
  const space = start.lastIndexOf(' ')
  const at =
    space >= 0 && same - space <= WORD_LENGTH
      ? space
      : Math.max(...[' ', '-', '/', ':', '_'].map((end) => start.lastIndexOf(end)))
  return at < 0 ? { base, head } : { base: `…${base.slice(at + 1)}`, head: `…${head.slice(at + 1)}` }
}

/** The heading of a comparison: words around the two sides, in their order. */
export const verdictParts = ({
  verdict,
  pairs,
}: Pick<ComparisonStatistics, 'verdict' | 'pairs'>): {
  readonly before: string
  readonly sides: readonly ['base', 'head'] | readonly ['head', 'base']
  readonly between: string
} => {
  if (pairs > 0 && (verdict === 'better' || verdict === 'worse'))
    return { before: '', sides: ['head', 'base'], between: ` is ${verdict} than ` }
  const words =
    pairs === 0 ? 'Nothing to compare' : verdict === 'too_few' ? 'Too few changes to tell' : 'No clear difference'
  return { before: `${words}: `, sides: ['base', 'head'], between: ' and ' }
}

/** The heading of a comparison, which names both sides. */
export const verdictTitle = (of: Parameters<typeof verdictParts>[0], names: PairNames): string => {
  const { before, sides, between } = verdictParts(of)
  return `${before}${names[sides[0]]}${between}${names[sides[1]]}`
}

/** What is compared: `runs`, or `columns` of runs. */
export const sidesWord = ({ base, head }: Pick<ComparisonStatistics, 'base' | 'head'>): string =>
  base.column || head.column ? 'columns' : 'runs'
/** The same in the singular. */
export const sideWord = (statistics: Pick<ComparisonStatistics, 'base' | 'head'>): string =>
  sidesWord(statistics).slice(0, -1)

export const casesWords = (n: number): string => plural(n, 'case')

/** `no case`, `all 24 cases`, `5 of 24 cases` */
export const sharedWords = ({ shared, base, head }: Pick<ComparisonStatistics, 'shared' | 'base' | 'head'>): string => {
  const most = Math.max(base.case_count, head.case_count)
  if (shared.cases === 0) return 'no case'
  if (shared.cases < most) return `${formatCount(shared.cases)} of ${formatCount(most)} cases`
  return most === 1 ? 'the one case' : `all ${casesWords(most)}`
}

const many = (n: number): string => (n === 0 ? 'none' : formatCount(n))

/** What happened, in one sentence. */
export const changeSentence = (statistics: ComparisonStatistics): string => {
  const { pairs, worse, better, shared } = statistics
  const sides = sidesWord(statistics)
  if (shared.cases === 0) return `The two ${sides} have no case in common.`
  if (pairs === 0)
    return shared.cases === 1
      ? `The ${sides} share one case, which did not pass or fail in both.`
      : `The ${sides} share ${casesWords(shared.cases)}, but none of them passed or failed in both.`
  if (pairs === 1)
    return `The one case that ran in both ${sides} ${better === 1 ? 'got better' : worse === 1 ? 'got worse' : 'got neither better nor worse'}.`
  const ofPairs = `Of the ${casesWords(pairs)} that ran in both ${sides}, `
  return better >= worse
    ? `${ofPairs}${many(better)} got better and ${many(worse)} got worse.`
    : `${ofPairs}${many(worse)} got worse and ${many(better)} got better.`
}

/** How likely the result is by chance; the exact p follows it. Null if no case changed. */
export const chanceSentence = (statistics: ComparisonStatistics): string | null => {
  const { worse, better, p_value } = statistics
  return worse + better === 0 || p_value === null
    ? null
    : `If the two ${sidesWord(statistics)} were equally good, a split at least this uneven would still come up ${chanceWords(p_value)}`
}

/** What the number of cases could have shown. Null without cases. */
export const noticeableSentence = ({
  verdict,
  pairs,
  worse,
  better,
  noticeable: { smallest_difference, pairs_needed },
}: ComparisonStatistics): string | null => {
  if (pairs === 0) return null
  if (verdict === 'too_few')
    return worse + better === 0 && pairs >= 6
      ? 'A small difference may be real and go unseen.'
      : 'With fewer than 6 changes no split can reach p = 0.05, however uneven.'
  if (smallest_difference === null) return null
  const points = Math.min(100, smallest_difference * 100)
  const least = `about ${points < 9.95 ? points.toFixed(1) : points.toFixed(0)} points`
  if (verdict !== 'no_clear_change') return `With ${casesWords(pairs)}, a change of ${least} is noticed 4 times in 5.`
  const needed =
    pairs_needed !== null && pairs_needed > pairs
      ? ` A difference like this one would need about ${formatCount(pairs_needed)} cases.`
      : ''
  return `With ${casesWords(pairs)} only a change of ${least} could have been noticed 4 times in 5; a smaller one may be real and go unseen.${needed}`
}

/** What differs between the runs as their cases name it: model, provider, prompt, suite. */
export const differsIn = ({
  base,
  head,
  same_suite,
}: Pick<ComparisonStatistics, 'base' | 'head' | 'same_suite'>): string[] => {
  const isOther = (one: readonly string[], other: readonly string[]): boolean =>
    one.length > 0 && other.length > 0 && one.toSorted().join('\n') !== other.toSorted().join('\n')
  return [
    ...(isOther(base.models, head.models) ? ['model'] : []),
    ...(isOther(base.providers, head.providers) ? ['provider'] : []),
    ...(isOther(base.prompts, head.prompts) ? ['prompt'] : []),
    ...(same_suite ? [] : ['suite']),
  ]
}

/** Below this share of the larger run, the pass rates of whole runs say more about what ran than about how good it was. */
const FEW_SHARED = 0.6

/** Whether few cases ran in both runs. */
export const isFewShared = ({ base, head, pairs }: ComparisonStatistics): boolean =>
  pairs < FEW_SHARED * Math.max(base.case_count, head.case_count)
