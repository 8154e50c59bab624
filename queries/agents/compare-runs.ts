import { z } from 'zod'
import { DELTAS, type Comparison } from '../../domain/statistics/comparison.ts'
import { columnText } from '../../domain/lists/column.ts'
import { ColumnsCompared, comparePart, RunComparison, type PartOfComparison } from '../runs/compare.ts'
import { ComparedGroups, findComparedGroups } from '../statistics/compared-groups.ts'
import { JudgeChange } from '../reviews/judges.ts'
import { findRun } from '../runs/run.ts'
import { choices, column, limit, text } from './arguments.ts'
import { checkComparable } from './comparable.ts'
import { noRun } from './refusals.ts'
import { columns, tableRows, table } from './table.ts'
import { pagePath, pageQuery, tool } from './tool.ts'

/** What changed. The other deltas are returned only if they are asked for. */
const CHANGED = ['newly_failing', 'newly_passing', 'added', 'removed'] as const

const CASES = [
  ...columns('case_key', 'delta'),
  ['base', (row) => row['base_status']],
  ['head', (row) => row['head_status']],
  ...columns('score_delta', 'change'),
] satisfies ReturnType<typeof columns>

/** The summary and the statistics in two lines. */
const summaryText = ({ summary, stats }: Readonly<Record<string, unknown>>): string => {
  const { mcnemar, base_pass_rate: base, head_pass_rate: head } = stats as Comparison['stats']
  const counts = Object.entries(summary as Comparison['summary']).map(([name, count]) => `${name} ${count}`)
  const percent = (rate: number): string => `${(rate * 100).toFixed(1)}%`
  const rate = ({ passed, total, ...of }: typeof base): string =>
    `${percent(of.rate)} (${passed}/${total}, 95% Wilson interval ${percent(of.lower)} to ${percent(of.upper)})`
  return `${counts.join(', ')}\npass rate ${rate(base)} -> ${rate(head)}; McNemar p = ${mcnemar.p_value.toPrecision(3)}, ${mcnemar.significant ? 'significant' : 'not significant'}`
}

/** The exact test of two columns as a line; nothing for whole runs. */
const columnsText = (columns: unknown): string => {
  if (columns === undefined) return ''
  const { verdict, pairs, worse, better, p_value, difference } = columns as NonNullable<PartOfComparison['columns']>
  const points = (share: number): string => (100 * share).toFixed(1)
  const test =
    p_value === null || difference === null
      ? 'no such case'
      : `exact p = ${p_value.toPrecision(3)}, difference ${points(difference.estimate)} points (95% interval ${points(difference.lower)} to ${points(difference.upper)})`
  return `\nhead column against base column: ${verdict}; ${worse} worse, ${better} better of ${pairs} cases that passed or failed in both; ${test}`
}

/** That another judge decided in the head, as a line; nothing if none did. */
const judgeText = (changed: unknown): string =>
  changed === undefined
    ? ''
    : `\nthe judge changed, so a difference may be the judge's: ${(changed as readonly JudgeChange[]).map(({ metric, differs }) => `${metric} (${differs.join(', ')})`).join('; ')}`

/** Groups that are returned. */
const MAX_GROUPS = 30

const GROUPS = [
  ...columns('value', 'cases'),
  ['worse', (row) => row['cases_worse']],
  ['better', (row) => row['cases_better']],
  ...columns('base_passed', 'head_passed', 'difference', 'adjusted_p', 'verdict'),
] satisfies ReturnType<typeof columns>

/** The groups as a table; nothing if none were asked for. */
const groupsText = (groups: unknown): string =>
  groups === undefined
    ? ''
    : `\n\nshared cases by group, p adjusted for the number of groups:\n${table(groups as Array<Record<string, unknown>>, GROUPS)}`

const DETAILS = 'get_case has the details of one'
const COMPLETE = `every case is listed: ${DETAILS}`
const LEFT_OUT = `summary and stats count every case: name more values in delta to see those with another change; ${DETAILS}`
const CUT = `summary and stats count every case: name fewer values in delta to see more of one kind, or page through list_cases with a status; ${DETAILS}`
const NOTHING_SHARED =
  'the runs share no case, so nothing is compared: a case_key depends on provider, prompt and test; compare runs of one suite with the same providers, or name base_column and head_column, which are compared by test'

/** What the agent can do next. `rows` is the maximum number of cases. */
const hintOf = ({ comparison, omitted }: PartOfComparison, rows: number): string => {
  const { summary, totals, cases } = comparison
  if (summary.added > 0 && summary.added >= totals.head.case_count && summary.removed >= totals.base.case_count)
    return NOTHING_SHARED
  if (omitted === 0) return COMPLETE
  return cases.length === rows ? CUT : LEFT_OUT
}

export const compareRuns = tool({
  name: 'compare_runs',
  title: 'Compare two runs',
  description:
    'Compares a head run with a base run, or columns of them (providers, prompts), also of one run: counts of what got worse and better, pass rates with Wilson intervals, the McNemar test, totals, changed parts of the configuration, and the changed cases. Cases that did not change are left out unless delta names them. Cases are matched by key, those of columns by test.',
  arguments: z.strictObject({
    base_run_id: text('The id of the run to compare with, such as the baseline.'),
    head_run_id: text('The id of the newer run.'),
    base_column: column('Compare only this column of the base run.'),
    head_column: column('Compare only this column of the head run, which may be the base run.'),
    by: text(
      'Also group the shared cases by `tag`, or by a variable such as `var.city`: the group that lost most first.',
    ).optional(),
    delta: choices(DELTAS, 'Which cases to return.').default([...CHANGED]),
    limit: limit(50, 50),
  }),
  narrowing: ['limit', 'delta'],
  result: RunComparison.extend({
    columns: ColumnsCompared.optional(),
    judge_changed: z.array(JudgeChange).optional(),
    groups: ComparedGroups.shape.groups.optional(),
    _filtered: z.object({ delta: z.array(z.enum(DELTAS)), rows_omitted: z.int(), hint: z.string() }),
  }),
  run: async ({ reader, viewer }, { base_run_id: base, head_run_id: head, by, delta, limit: rows, ...columns }) => {
    const { base_column, head_column } = columns
    if (base_column || head_column || by !== undefined) await checkComparable(reader, viewer, [base, head])
    const found = await comparePart(reader, viewer, { base, head, ...columns, deltas: new Set(delta), limit: rows })
    if (!found) throw noRun((await reader.read(findRun(viewer, base))) ? head : base)
    const grouped = by === undefined ? null : await findComparedGroups(reader, viewer, { base, head, ...columns, by })
    const query = pageQuery({
      by,
      base_column: base_column && columnText(base_column),
      head_column: head_column && columnText(head_column),
    })
    return {
      data: {
        ...found.comparison,
        ...(found.columns && { columns: found.columns }),
        ...(found.judge_changed.length > 0 && { judge_changed: [...found.judge_changed] }),
        ...(grouped && { groups: grouped.groups.slice(0, MAX_GROUPS) }),
        _filtered: {
          delta,
          rows_omitted: found.omitted,
          hint: hintOf(found, rows),
        },
      },
      text: (data) =>
        `${summaryText(data)}${columnsText(data['columns'])}${judgeText(data['judge_changed'])}\n\n${table(tableRows(data, 'cases'), CASES)}${groupsText(data['groups'])}`,
      subject: `${base}, ${head}`,
      page: { path: `${pagePath('compare', base, head)}${query}`, name: 'The comparison' },
    }
  },
})
