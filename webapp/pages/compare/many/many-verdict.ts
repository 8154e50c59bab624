import type { ManyRuns } from '../../../../queries/statistics/many-runs.ts'
import { passVerdict } from '../../case/history/test-columns.ts'
import { manyNames } from '../../../runs/pair-names.ts'
import { formatCount, plural } from '../../../text/format.ts'
import { chanceWords, formatP } from '../../../text/signed.ts'

const LIST = new Intl.ListFormat('en-GB', { style: 'long', type: 'conjunction' })

/** What the comparisons with the base say: a heading, and sentences that explain it. */
export const manyVerdict = ({
  runs,
  base: base_id,
}: ManyRuns): { readonly title: string; readonly sentences: string[] } => {
  const names = manyNames(runs.map(({ run }) => run))
  const others = runs.flatMap(({ run, against_base }) =>
    against_base ? [{ name: names.get(run.id) ?? run.id, ...against_base }] : [],
  )
  const name = names.get(base_id) ?? 'the base'
  const [worse, better] = (['worse', 'better'] as const).map((verdict) => others.filter((of) => of.verdict === verdict))
  const open = others.length - (worse?.length ?? 0) - (better?.length ?? 0)
  return {
    title: titleOf(worse?.length ?? 0, better?.length ?? 0, others.length, name),
    sentences: [
      ...passSentence(worse ?? [], 'fewer'),
      ...passSentence(better ?? [], 'more'),
      ...(open > 0
        ? [
            `For ${open === others.length ? (open === 1 ? 'this run' : 'all of them') : open === 1 ? 'the other one' : `the other ${open}`}, ${pairsText(others)} cannot tell: a real difference may go unseen.`,
          ]
        : []),
      ...others
        .filter(({ removed_by_adjustment }) => removed_by_adjustment)
        .map(
          (of) =>
            `${of.name} alone would read as ${of.worse > of.better ? 'worse' : 'better'} (${formatP(of.p_value ?? 1)}); with ${others.length} comparisons at once, one such result comes by chance ${chanceWords(1 - (1 - (of.p_value ?? 1)) ** others.length)}, so p is adjusted (${(of.adjusted_p ?? 1).toFixed(3)}).`,
        ),
    ],
  }
}

type Cell = NonNullable<ManyRuns['rows'][number]['cells'][number]>

/**
 * How the verdict of a cell looks next to that of the base: null if it is the same, and `other` if one of them is no verdict,
 * or the base does not have the case.
 */
export const cellTone = (cell: Cell, base: Cell | null): 'worse' | 'better' | 'other' | null => {
  if (!cell.differs) return null
  const [before, after] = [base && passVerdict(base.status), passVerdict(cell.status)]
  if (before === null || after === null) return 'other'
  return after ? 'better' : 'worse'
}

const titleOf = (worse: number, better: number, all: number, name: string): string => {
  const are = (n: number): string => (n === 1 ? 'is' : 'are')
  if (worse === 0 && better === 0) return `No run is clearly better or worse than ${name}`
  if (worse > 0 && better > 0)
    return `${better} of ${all} runs ${are(better)} better than ${name}, ${worse} ${are(worse)} worse`
  const [count, word] = worse > 0 ? [worse, 'worse'] : [better, 'better']
  return `${count} of ${plural(all, 'run')} ${are(count)} ${word} than ${name}`
}

const passSentence = (runs: ReadonlyArray<{ readonly name: string }>, than: string): string[] =>
  runs.length === 0
    ? []
    : [`${LIST.format(runs.map(({ name }) => name))} ${runs.length === 1 ? 'passes' : 'pass'} ${than} cases.`]

/** `24 cases`, or `6 to 24 cases` if the runs share different numbers with the base. */
const pairsText = (runs: ReadonlyArray<{ readonly pairs: number }>): string => {
  const [least, most] = [Math.min(...runs.map(({ pairs }) => pairs)), Math.max(...runs.map(({ pairs }) => pairs))]
  return `${least === most ? '' : `${formatCount(least)} to `}${plural(most, 'case')}`
}

/** The verdict of one run against the base, in the words of a cell. */
export const AGAINST_WORDS = {
  better: 'better',
  worse: 'worse',
  no_clear_change: 'no clear difference',
  too_few: 'too few to tell',
} as const
