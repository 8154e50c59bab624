import { printable, printableLines } from '../../domain/text/printable.ts'
import type { RunDocument } from '../runner/run-document.ts'
import { changeCounts, changedConfig, sideName, testText, type ComparedCase, type Comparison } from './compare.ts'
import { passRateText } from './numbers.ts'
import { outputDiff, promptsDiff, showsDiff, type DiffChoice } from './output-diff.ts'
import type { Paint } from './paint.ts'
import { cut } from '../../domain/text/cut-text.ts'
import { pad } from './table.ts'

const MAX_DIFF_LINES = 60
const ID_CHARACTERS = 8
const PROVIDER_WIDTH = 20
const NAME_WIDTH = 60

const ROWS = {
  newly_failing: ['REGRESS', 'bad'],
  newly_passing: ['FIXED', 'good'],
  added: ['NEW', 'quiet'],
  removed: ['REMOVED', 'quiet'],
  still_failing: ['FAIL', 'bad'],
  unchanged: ['SAME', 'quiet'],
} as const

const ORDER = Object.keys(ROWS)

type CompareTableOptions = {
  readonly paint: Paint
  readonly diffs: DiffChoice
  readonly full: boolean
  readonly configDiff: boolean
}

/** A comparison for a terminal. Cases that pass in both runs have a row only if all are asked for. */
export const compareTable = (comparison: Comparison, options: CompareTableOptions): string => {
  const { paint, diffs } = options
  const { base, head, cases, columns } = comparison
  const shown = cases
    .filter(({ delta }) => delta !== 'unchanged' || diffs === 'all')
    .sort((a, b) => ORDER.indexOf(a.delta) - ORDER.indexOf(b.delta))
  const providerWidth = widest(shown.map(providerText), PROVIDER_WIDTH)
  const nameWidth = widest(
    shown.map(({ name }) => printable(name)),
    NAME_WIDTH,
  )
  const [before, after] = [base, head].map(({ summary }) => summary.fallback_cases ?? 0)
  const lines = [
    `base ${sideName(runText(base), columns?.base)} → head ${sideName(runText(head), columns?.head)}`,
    `pass rate ${passRateText(base)} → ${passRateText(head)}`,
    ...(before === after ? [] : [`fallback cases: ${before} → ${after}`]),
    paint('strong', columns ? 'comparison of columns:' : 'comparison vs baseline:'),
    ...shown.map((item) => rowText(item, providerWidth, nameWidth, paint)),
    ...cases.flatMap((item) => diffLines(item, options)),
    ...configLines(comparison, options),
    changeCounts(comparison),
    testText(comparison),
  ]
  return `${lines.join('\n')}\n`
}

const runText = ({ run_id, finished_at, summary }: RunDocument): string =>
  `${printable(cut(run_id, ID_CHARACTERS + 1).slice(0, ID_CHARACTERS))} (${finished_at.slice(0, 16).replace('T', ' ')} UTC, ${summary.passed}/${summary.total} passed)`

const providerText = ({ base, head }: ComparedCase): string => printable((head ?? base)?.cell.provider_id ?? '')

const widest = (texts: readonly string[], limit: number): number =>
  Math.min(
    limit,
    texts.reduce((width, text) => Math.max(width, [...text].length), 0),
  )

const rowText = (item: ComparedCase, providerWidth: number, nameWidth: number, paint: Paint): string => {
  const { base, head, delta, name } = item
  const [glyph, style] = ROWS[delta]
  const [before, after] = [base, head].map((side) => side?.score.toFixed(2) ?? '–')
  const [asked, answered] = [base, head].map((side) => side?.answered_by_provider_id ?? side?.cell.provider_id)
  // Columns have different providers without any fallback.
  const isFallback = (base?.answered_by_provider_id ?? head?.answered_by_provider_id) !== undefined
  const provider = pad(cut(providerText(item), providerWidth), providerWidth)
  const answeredBy =
    base === null || head === null || !isFallback || asked === answered
      ? ''
      : `  answered by: ${printable(`${asked} → ${answered}`)}`
  return `  ${paint(style, glyph)}${' '.repeat(9 - glyph.length)}${provider}  ${pad(cut(printable(name), nameWidth), nameWidth)}  score ${before} → ${after}${answeredBy}`
}

const diffLines = (item: ComparedCase, { paint, diffs, full }: CompareTableOptions): string[] => {
  if (!showsDiff(item, diffs)) return []
  const heading = `${providerText(item)} · ${printable(item.name)}`
  return ['', paint('strong', heading), ...painted(outputDiff(item, full ? Infinity : MAX_DIFF_LINES), paint), '']
}

const configLines = (comparison: Comparison, { paint, configDiff }: CompareTableOptions): string[] => {
  const changed = changedConfig(comparison)
  if (changed === null) return []
  const line = `config changed: ${changed.map(shortDigest).join(' → ')}`
  if (!configDiff) return [line]
  const diff = promptsDiff(comparison.base, comparison.head)
  return [line, ...(diff.length === 0 ? ['the prompts are the same'] : painted(diff, paint))]
}

/** A digest with the first eight characters of its hash. */
export const shortDigest = (digest: string): string => {
  const [, kind = '', hash = ''] = /^([^:]*:)?(.*)$/s.exec(printable(digest)) ?? []
  return hash.length <= ID_CHARACTERS ? `${kind}${hash}` : `${kind}${hash.slice(0, ID_CHARACTERS)}…`
}

const painted = (lines: readonly string[], paint: Paint): string[] =>
  lines.map((line) => {
    const text = `  ${printableLines(line)}`
    return line.startsWith('+')
      ? paint('good', text)
      : line.startsWith('-')
        ? paint('bad', text)
        : line.startsWith('@')
          ? paint('quiet', text)
          : text
  })
