import { code, link, name, table } from '../../../domain/text/markdown.ts'
import { runPassRate, type PassRate } from '../../../domain/statistics/statistics.ts'
import type { CaseDetail } from '../../../queries/cases/cases.ts'
import type { RunInSuite } from '../../../queries/runs/run-in-suite.ts'
import type { RunListItem } from '../../../queries/runs/run-list.ts'
import type { ManyRuns } from '../../../queries/statistics/many-runs.ts'
import type { ComparisonStatistics } from '../../../queries/statistics/comparison-statistics.ts'
import { caseTitle } from '../../cases/case-name.ts'
import { manyNames, pairNames } from '../../runs/pair-names.ts'
import { runName } from '../../runs/run-name.ts'
import { STATUS_WORDS } from '../../runs/statuses.ts'
import { formatCost, formatCount, formatDuration, formatRate, formatScore } from '../../text/format.ts'
import { formatP, formatPoints } from '../../text/signed.ts'
import { assertionName } from '../../../domain/lists/assertion-name.ts'
import { isFailing } from '../case/assertions/assertion.ts'
import { AGAINST_WORDS, manyVerdict } from '../compare/many/many-verdict.ts'
import { measuresOf } from '../compare/result/measures.ts'
import { changeSentence, verdictTitle } from '../compare/result/verdict.ts'

// What a page says as Markdown, for a pull request. All stored text goes through `code` and `name`: nothing in it is a link, a
// mention, an image or a heading.

const blocks = (...parts: ReadonlyArray<readonly string[] | string | null>): string =>
  `${parts
    .flatMap((part) => (part === null ? [] : [typeof part === 'string' ? part : part.join('\n')]))
    .join('\n\n')}\n`

/** A name as a heading: a code span unless it is plain words. */
const heading = (text: string): string => `### ${name(text)}`

const linkTo = (label: string, address: string): string => link(label, address) ?? ''

const rateText = ({ passed, total, rate, lower, upper }: PassRate): string =>
  total === 0
    ? 'no cases'
    : `${formatRate(rate)} (${formatCount(passed)} of ${formatCount(total)}; ${formatRate(lower)} to ${formatRate(upper)})`

const MAX_REASON = 200
const MAX_ASSERTS = 10

/** A comparison: the verdict, its measures with intervals, the counts, and the link. */
export const comparisonMarkdown = (statistics: ComparisonStatistics, address: string): string => {
  const names = pairNames(statistics.base, statistics.head)
  const safe = { base: name(names.base), head: name(names.head) }
  const { difference, p_value, base_pairs, head_pairs } = statistics
  return blocks(
    `### ${verdictTitle(statistics, safe)}`,
    [changeSentence(statistics), ...(p_value === null ? [] : [`Exact paired test: ${formatP(p_value)}.`])].join(' '),
    table(
      ['Measure', safe.base, safe.head, 'Change, 95% interval'],
      [
        ...(statistics.pairs === 0
          ? []
          : [
              [
                'Passed',
                `${formatRate(base_pairs.rate ?? 0)} (${base_pairs.passed} of ${base_pairs.total})`,
                `${formatRate(head_pairs.rate ?? 0)} (${head_pairs.passed} of ${head_pairs.total})`,
                difference
                  ? `${formatPoints(difference.estimate)} points; ${formatPoints(difference.lower)} to ${formatPoints(difference.upper)}`
                  : '',
              ],
            ]),
        ...measuresOf(statistics, safe)
          .filter(({ base, head }) => base !== null || head !== null)
          .map(({ name: measure, base, head, change, note }) => [
            measure,
            base ?? 'not recorded',
            head ?? 'not recorded',
            [change, note].filter((part) => part !== null).join('; '),
          ]),
      ],
    ),
    linkTo('Open the comparison', address),
  )
}

/** Several runs: the verdict, a line for each against the base, and the link. */
export const manyMarkdown = (comparison: ManyRuns, address: string): string => {
  const names = manyNames(comparison.runs.map(({ run }) => run))
  const { title } = manyVerdict(comparison)
  return blocks(
    `### ${name(title)}`,
    table(
      ['Run', 'Passed; 95% interval', 'Against the base', 'Worse, better', 'p, adjusted'],
      comparison.runs.map(({ run, against_base: against }) => [
        name(names.get(run.id) ?? run.id),
        rateText(run.pass_rate),
        against ? AGAINST_WORDS[against.verdict] : 'base',
        against ? `${formatCount(against.worse)}, ${formatCount(against.better)}` : '',
        against && against.adjusted_p !== null ? formatP(against.adjusted_p) : '',
      ]),
    ),
    linkTo('Open the comparison', address),
  )
}

/** A run: its pass rate with interval, what it cost, and the link. */
export const runMarkdown = (run: RunInSuite, address: string): string => {
  const rows: ReadonlyArray<readonly [string, string | null]> = [
    ['Passed', rateText(runPassRate(run))],
    ['Failed', run.fail_count === 0 ? null : formatCount(run.fail_count)],
    ['Errors', run.error_count === 0 ? null : formatCount(run.error_count)],
    ['Cost', run.cost_usd === null ? null : formatCost(run.cost_usd)],
    ['Finished', run.created_at],
  ]
  return blocks(
    heading(runName(run)),
    table(
      ['Measure', 'Value'],
      rows.flatMap(([measure, value]) => (value === null ? [] : [[measure, value]])),
    ),
    linkTo('Open the run', address),
  )
}

/** The newest runs of a suite, with their pass rates and intervals. */
export const suiteMarkdown = (
  set: { readonly project: string; readonly suite: string },
  runs: readonly RunListItem[],
  addresses: { readonly suite: string; readonly runOf: (id: string) => string },
): string =>
  blocks(
    heading(`${set.project} / ${set.suite}`),
    table(
      ['Run', 'Finished', 'Passed; 95% interval'],
      runs.map((run) => [
        `${name(runName(run))} ${linkTo('open', addresses.runOf(run.id))}`,
        run.created_at,
        rateText(runPassRate(run)),
      ]),
    ),
    linkTo('Open the suite', addresses.suite),
  )

/** A case: its verdict, and the assertions that failed. */
export const caseMarkdown = (detail: CaseDetail, address: string): string => {
  const failed = detail.asserts.filter(isFailing)
  return blocks(
    heading(caseTitle({ name: detail.name ?? null, test_id: detail.cell.test_id, case_key: detail.case_key })),
    `**${STATUS_WORDS[detail.status]}**, score ${formatScore(detail.score)}, ${name(detail.cell.provider_id)}${
      detail.latency_ms > 0 ? `, ${formatDuration(detail.latency_ms)}` : ''
    }`,
    failed.length === 0
      ? null
      : table(
          ['Failed assertion', 'Score', 'Reason'],
          failed
            .slice(0, MAX_ASSERTS)
            .map((assertion) => [
              name(assertionName(assertion).title),
              formatScore(assertion.score),
              code(assertion.reason ?? '', MAX_REASON),
            ]),
        ),
    failed.length > MAX_ASSERTS ? `_…and ${failed.length - MAX_ASSERTS} more._` : null,
    linkTo('Open the case', address),
  )
}
