import { counted } from '../../domain/plain/counted.ts'
import { durationMs } from '../../domain/run/document.ts'
import type { CaseDocument, RunDocument } from '../runner/run-document.ts'
import type { Comparison } from './compare.ts'
import { comparisonMarkdown } from './compare-markdown.ts'
import { code, link, name, table } from '../../domain/text/markdown.ts'
import { countText, durationText, passRateText, percentText, usdText } from './numbers.ts'
import { caseName } from '../../domain/lists/case-name.ts'

const MAX_ROWS = 10
const MAX_ERROR = 160
const MAX_REASON = 80

type MarkdownOptions = {
  /** What the run is compared with. Absent: nothing. */
  readonly comparison?: Comparison
  /** Why there is no comparison although one was asked for. */
  readonly note?: string
  readonly runUrl?: string | undefined
  readonly ciUrl?: string | undefined
}

/** A run as Markdown: the verdict, a table of measures, and what failed, or what changed against a baseline. */
export const runMarkdown = (run: RunDocument, options: MarkdownOptions = {}): string => {
  const { comparison, note, runUrl, ciUrl } = options
  const links = [link('View run', runUrl), link('CI run', ciUrl)].filter((item) => item !== null)
  const blocks = [
    [`### ers run — ${name(run.suite ?? 'run')}`],
    [verdict(run)],
    table(
      ['Metric', 'Value'],
      measures(run).map((row) => [...row]),
    ),
    ...erroredCases(run.cases),
    ...(comparison === undefined ? failingCases(run.cases) : comparisonMarkdown(comparison)),
    ...(note === undefined ? [] : [[code(note)]]),
    ...(links.length === 0 ? [] : [[links.join(' · ')]]),
  ]
  return `${blocks.map((lines) => lines.join('\n')).join('\n\n')}\n`
}

const verdict = ({ summary }: RunDocument): string => {
  const { passed, failed, errored, skipped, xfailed = 0, xpassed = 0, fallback_cases: fallback = 0 } = summary
  const counts = [
    `${passed} passed`,
    ...(
      [
        [failed, 'failed'],
        [errored, 'errored'],
        [skipped, 'skipped'],
        [xfailed, 'xfailed'],
        [xpassed, 'xpassed'],
      ] as const
    ).flatMap(([count, name]) => (count > 0 ? [`${count} ${name}`] : [])),
  ]
  const word = failed + errored + xpassed > 0 ? 'Fail' : 'Pass'
  return `**${word}** — ${counts.join(', ')}${fallback > 0 ? ` (${fallback} via fallback)` : ''}`
}

const measures = (run: RunDocument): Array<readonly [string, string]> => {
  const { summary, cases, started_at, finished_at } = run
  const { cache_hits: hits, cache_misses: misses, prompt_tokens: input, completion_tokens: output } = summary
  const { cache_read_tokens: read = 0, cache_write_tokens: written = 0, fallback_cases: fallback = 0 } = summary
  const { cost_usd: cost = 0, cache_savings_usd: saved = 0, grader_cost_usd: grading = 0 } = summary
  const errors = countBy(
    cases.filter(({ status }) => status === 'error').map(({ error_class }) => error_class || 'unknown'),
  )
  const rows: Array<readonly [string, string | false]> = [
    ['Pass rate', passRateText(run, `, n=${summary.total}`)],
    ['Empty', countsText(new Map(Object.entries(summary.empty_counts ?? {})))],
    ['Errors', countsText(errors)],
    ['Cache', hits > 0 && `${hits}/${hits + misses} cases from cache (${percentText(hits / (hits + misses))}%)`],
    ['Tokens', input + output > 0 && `${countText(input)} in / ${countText(output)} out`],
    ['Cache tokens', read + written > 0 && `${countText(read)} read / ${countText(written)} written`],
    ['Cost', cost > 0 && usdText(cost)],
    ['Saved by cache', saved > 0 && usdText(saved)],
    ['Grading cost', grading > 0 && usdText(grading)],
    ['Retries', summary.retried_cases > 0 && counted(summary.retried_cases, 'case')],
    ['Answered by fallback', fallback > 0 && `${fallback} of ${counted(summary.total - summary.skipped, 'case')}`],
    ['Duration', durationText(durationMs(started_at, finished_at))],
  ]
  return rows.flatMap(([name, value]) => (value === false ? [] : [[name, value] as const]))
}

const countBy = (names: readonly string[]): ReadonlyMap<string, number> => {
  const counts = new Map<string, number>()
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1)
  return counts
}

/** The classes of errored cases with their counts, by name. A case without a class counts as `unknown`. */
const countsText = (counts: ReadonlyMap<string, number>): string | false => {
  const total = [...counts.values()].reduce((sum, count) => sum + count, 0)
  if (total === 0) return false
  const sorted = [...counts].sort(([a], [b]) => (a < b ? -1 : 1))
  return `${total} (${sorted.map(([word, count]) => `${name(word)} × ${count}`).join(', ')})`
}

const erroredCases = (cases: readonly CaseDocument[]): string[][] => {
  const errored = cases.filter(({ status }) => status === 'error')
  return caseTable(errored, ['Class', 'Error'], ({ error_class, error }) => [
    name(error_class || 'unknown'),
    code(error ?? '', MAX_ERROR),
  ])
}

const failingCases = (cases: readonly CaseDocument[]): string[][] =>
  caseTable(
    cases.filter(({ status }) => status === 'fail' || status === 'xpass'),
    ['Score', 'Reason'],
    (item) => [item.score.toFixed(2), code(failureReason(item), MAX_REASON)],
  )

const failureReason = ({ status, asserts }: CaseDocument): string =>
  status === 'xpass'
    ? 'unexpectedly passed'
    : (asserts.find((result) => result.status === 'fail' && result.weight > 0)?.reason ?? '')

/** The first cases as a table, and how many more there are. Nothing without cases. */
const caseTable = (
  cases: readonly CaseDocument[],
  head: readonly string[],
  columns: (item: CaseDocument) => readonly string[],
): string[][] => {
  if (cases.length === 0) return []
  const rows = cases
    .slice(0, MAX_ROWS)
    .map((item) => [code(caseName(item)), name(item.cell.provider_id), ...columns(item)])
  const more = cases.length - MAX_ROWS
  return [table(['Test', 'Provider', ...head], rows), ...(more > 0 ? [[`_…and ${more} more._`]] : [])]
}
