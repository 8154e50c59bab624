import { durationMs } from '../../domain/run/document.ts'
import { cut } from '../../domain/text/cut-text.ts'
import { printable } from '../../domain/text/printable.ts'
import { runPassAtK } from '../runner/pass-at-k.ts'
import type { CaseDocument, RunDocument } from '../runner/run-document.ts'
import { countText, durationText, passRateText, percentText, usdText } from './numbers.ts'
import { GLYPHS, type Paint } from './paint.ts'
import { caseName } from '../../domain/lists/case-name.ts'

const GLYPH_WIDTH = 7
const PROVIDER_WIDTH = 10
const MIN_NAME = 4
const MAX_NAME = 60

/**
 * A run as a table for a terminal: a line for each of `cases`, then two lines of totals of the whole run. If `cases`
 * are only some of them, a last line says so.
 */
export const tableReport = (run: RunDocument, cases: readonly CaseDocument[], paint: Paint): string => {
  const names = cases.map((item) => cut(printable(caseName(item)), MAX_NAME))
  const width = Math.max(MIN_NAME, ...[...names.reduce((widths, name) => widths.add(length(name)), new Set<number>())])
  const lines = [
    paint('strong', `${' '.repeat(GLYPH_WIDTH + 2)}${pad('provider', PROVIDER_WIDTH)}${pad('test', width)}  score`),
    ...cases.map((item, index) => row(item, names[index] ?? '', width, paint)),
    '',
    ...footer(run),
    ...(cases.length === run.cases.length
      ? []
      : [`showing ${cases.length} failed/errored of ${run.cases.length} cases`]),
  ]
  return `${lines.join('\n')}\n`
}

const row = ({ status, cell, score }: CaseDocument, name: string, width: number, paint: Paint): string => {
  const [glyph, style] = GLYPHS[status]
  const provider = pad(cut(printable(cell.provider_id), PROVIDER_WIDTH - 1), PROVIDER_WIDTH)
  return `${paint(style, glyph)}${' '.repeat(GLYPH_WIDTH + 2 - glyph.length)}${provider}${pad(name, width)}  ${score.toFixed(2)}`
}

/** The two lines of totals. Parts that are zero or unknown are left out. */
const footer = (run: RunDocument): readonly [string, string] => {
  const { suite, started_at, finished_at, summary, cases } = run
  const { passed, failed, errored, xfailed = 0, xpassed = 0 } = summary
  const totals = [
    `${passed} passed, ${failed} failed, ${errored} errored`,
    xfailed > 0 && `${xfailed} xfailed`,
    xpassed > 0 && `${xpassed} xpassed`,
  ]
  const { cache_read_tokens: read = 0, cache_write_tokens: written = 0, cost_usd: cost = 0 } = summary
  const { cache_savings_usd: saved = 0, grader_cost_usd: grading = 0 } = summary
  const empty = Object.values(summary.empty_counts ?? {}).reduce((sum, count) => sum + count, 0)
  const passAt1 = runPassAtK(cases)
  const facts = [
    `pass rate ${passRateText(run)}`,
    empty > 0 && `${empty} empty`,
    xpassed > 0 && `${xpassed} xpassed (unexpected)`,
    summary.prompt_tokens + summary.completion_tokens > 0 &&
      `${countText(summary.prompt_tokens)} in / ${countText(summary.completion_tokens)} out tokens`,
    passAt1 !== null && `pass@1 ${percentText(passAt1)}%`,
    read + written > 0 && `${countText(read)} of that cache-read / ${countText(written)} cache-write tokens`,
    cost > 0 && `${usdText(cost)}${saved > 0 ? ` (${usdText(saved)} saved by cache)` : ''}`,
    grading > 0 && `${usdText(grading)} grading`,
    summary.cache_hits > 0 && `${summary.cache_hits} cache hits`,
    summary.retried_cases > 0 && `${summary.retried_cases} retried`,
  ]
  return [
    `${printable(suite ?? 'run')} total: ${joined(totals, ', ')} in ${durationText(durationMs(started_at, finished_at))}`,
    joined(facts, ' · '),
  ]
}

const joined = (parts: ReadonlyArray<string | false>, separator: string): string =>
  parts.filter((part) => part !== false).join(separator)

const length = (text: string): number => [...text].length

/** Fills a text with spaces on its right. */
export const pad = (text: string, width: number): string => text + ' '.repeat(Math.max(0, width - length(text)))
