import { formatRate } from '../../../text/format.ts'
import { formatP } from '../../../text/signed.ts'
import { againstTitle, type Line } from '../leaderboard/lines.ts'

/** What a row says of a column. `short`: for narrow columns. */
type StatCell = { readonly text: string; readonly short: string; readonly title?: string; readonly tone?: string }

/** A row of statistics below the names of columns; empty for a column that is not listed. */
export type StatRow = { readonly name: string; readonly hint?: string; readonly cells: ReadonlyArray<StatCell | null> }

const percent = (rate: number): string => String(Math.round(100 * rate))

/** p without its letter: `0.047`, `< 0.001`. */
const shortP = (p: number): string => formatP(p).replace(/^p (?:= )?/, '')

const againstCell = (line: Line, base: string): StatCell => {
  const { against_base: against } = line
  if (against === null) return { text: 'best', short: 'best', title: againstTitle(line, base) }
  const title = againstTitle(line, base)
  if (against.adjusted_p === null) return { text: '–', short: '–', title }
  const p = shortP(against.adjusted_p)
  if (against.verdict !== 'worse' && against.verdict !== 'better')
    return { text: p, short: p.replace(/^0/, ''), title, tone: 'm2' }
  const sign = against.verdict === 'worse' ? '−' : '+'
  return {
    text: `${against.verdict}, ${p}`,
    short: `${sign} ${p.replace(/^(< )?0/, (_, less) => (less ? '<' : ''))}`,
    title,
    tone: against.verdict === 'worse' ? 'fail' : 'pass',
  }
}

/** The statistics of columns against the best one. A column without a line has none. */
export const statRows = (lines: ReadonlyArray<Line | undefined>, base: string): readonly StatRow[] => {
  const row = (name: string, hint: string, cellOf: (line: Line) => StatCell): StatRow => ({
    name,
    hint,
    cells: lines.map((line) => (line ? cellOf(line) : null)),
  })
  return [
    row('Passed', 'The mean over tests that passed or failed', ({ passes }) => {
      const text = passes ? formatRate(passes.mean) : '–'
      return { text, short: text }
    }),
    row('95% interval', 'Of the share that passed, over tests', ({ passes }) => {
      if (!passes || passes.lower === null || passes.upper === null) return { text: '–', short: '–' }
      const [lower, upper] = [percent(passes.lower), percent(passes.upper)]
      return { text: `${lower} to ${upper}`, short: `${lower}–${upper}` }
    }),
    row('Against the best, p adjusted', 'Each compared test by test; p adjusted for the number of columns', (line) =>
      againstCell(line, base),
    ),
  ]
}
