import { canonicalJson } from '../../domain/run/canonical-json.ts'
import type { CaseStatus } from '../../domain/run/document.ts'
import { columnText, isInColumn, unknownColumn, type Column } from '../../domain/lists/column.ts'
import { statusDelta } from '../../domain/statistics/comparison.ts'
import { pairedTest, type PairedTest } from '../../domain/statistics/paired-rates.ts'
import { chooseJoin, countPairs, joinCases, type CaseOutcome } from '../../domain/statistics/pairing.ts'
import { mcnemar, type McNemar } from '../../domain/statistics/statistics.ts'
import { printable } from '../../domain/text/printable.ts'
import { UsageError } from '../json.ts'
import type { CaseDocument, RunDocument } from '../runner/run-document.ts'
import { summarize } from '../runner/summary.ts'
import { caseName } from '../../domain/lists/case-name.ts'

type Delta = 'newly_failing' | 'newly_passing' | 'still_failing' | 'unchanged' | 'added' | 'removed'

/** A case of two runs. A removed case has no `head`, an added one no `base`. */
export type ComparedCase = {
  readonly case_key: string
  readonly name: string
  readonly base: CaseDocument | null
  readonly head: CaseDocument | null
  readonly delta: Delta
  /** Whether both runs have the case, and their outputs differ. */
  readonly output_changed: boolean
}

export type Comparison = {
  readonly base: RunDocument
  readonly head: RunDocument
  /** In the order of the head, then the removed ones in the order of the base. */
  readonly cases: readonly ComparedCase[]
  readonly summary: Readonly<Record<Delta | 'output_changed', number>>
  readonly mcnemar: McNemar
  /** Null for two whole runs. */
  readonly columns: ComparedColumns | null
}

/** The columns that were asked for; a side without one has all its cases. */
export type ColumnPair = { readonly base?: Column | undefined; readonly head?: Column | undefined }

/** A comparison of columns has the exact test that the page of the service has. */
type ComparedColumns = ColumnPair &
  PairedTest & {
    readonly pairs: number
    /** Several trials of a test were counted as independent cases. */
    readonly hasTrials: boolean
  }

/**
 * Compares two runs case by case, joined on `case_key`, by the rules of the command line. Passing is `pass` or `xpass`; every
 * other status is not, also `skip`, which has no verdict in the comparison of the service
 * (`domain/statistics/comparison.ts`). If a run has a key twice, the first case counts.
 */
export const compareRuns = (base: RunDocument, head: RunDocument): Comparison => {
  const [older, newer] = [firstByKey(base.cases), firstByKey(head.cases)]
  const cases: ComparedCase[] = []
  for (const [key, item] of newer) cases.push(compared(key, older.get(key) ?? null, item))
  for (const [key, item] of older) if (!newer.has(key)) cases.push(compared(key, item, null))
  return comparisonOf({ base, head, cases, columns: null })
}

/** A case of a document as comparisons join it. */
export type Outcome = CaseOutcome & { readonly item: CaseDocument }

export const outcomeOf = (item: CaseDocument): Outcome => ({
  item,
  case_key: item.case_key,
  provider_id: item.cell.provider_id,
  prompt_id: item.cell.prompt_id ?? null,
  test_id: item.cell.test_id,
  repeat: item.cell.repeat,
  status: item.status,
  score: item.score,
})

/** The outcomes of a column, or of the whole run without one. Throws `UsageError` for a column without a case. */
const outcomesIn = (run: RunDocument, column: Column | undefined, option: string): Outcome[] => {
  const outcomes = run.cases.map(outcomeOf)
  const inColumn = column ? outcomes.filter((outcome) => isInColumn(outcome, column)) : outcomes
  if (column && inColumn.length === 0)
    throw new UsageError(`${option}: ${run.run_id}: ${unknownColumn(column, outcomes)}`)
  return inColumn
}

const narrowed = (run: RunDocument, outcomes: readonly Outcome[]): RunDocument => {
  const cases = outcomes.map(({ item }) => item)
  return { ...run, cases, summary: summarize(cases) }
}

/**
 * Compares columns of two runs, or of one, by the rules of the service: cases are joined by what identifies them in both,
 * and one that was skipped has no verdict. Throws `UsageError` for a column that a run does not have.
 */
export const compareColumns = (base: RunDocument, head: RunDocument, columns: ColumnPair): Comparison => {
  const before = outcomesIn(base, columns.base, '--base-column')
  const after = outcomesIn(head, columns.head, '--head-column')
  const joined = joinCases(before, after, chooseJoin([before, after]))
  const { worse, better, pairs } = countPairs(joined)
  const cases = joined.map(({ base: was, head: is }): ComparedCase => {
    const row = compared((is ?? was)?.case_key ?? '', was?.item ?? null, is?.item ?? null)
    if (!was || !is) return row
    const delta = statusDelta(was.status, is.status)
    return { ...row, delta: delta === 'still_passing' ? 'unchanged' : delta }
  })
  const hasTrials = [...before, ...after].some(({ repeat }) => (repeat ?? 0) > 0)
  return comparisonOf({
    base: columns.base ? narrowed(base, before) : base,
    head: columns.head ? narrowed(head, after) : head,
    cases,
    columns: { ...columns, pairs, hasTrials, ...pairedTest(worse, better, pairs) },
  })
}

const comparisonOf = (found: Omit<Comparison, 'summary' | 'mcnemar'>): Comparison => {
  const summary: Record<Delta | 'output_changed', number> = {
    newly_failing: 0,
    newly_passing: 0,
    still_failing: 0,
    unchanged: 0,
    output_changed: 0,
    added: 0,
    removed: 0,
  }
  for (const { delta, output_changed } of found.cases) {
    summary[delta] += 1
    if (output_changed) summary.output_changed += 1
  }
  return { ...found, summary, mcnemar: mcnemar(summary.newly_failing, summary.newly_passing) }
}

const firstByKey = (cases: readonly CaseDocument[]): ReadonlyMap<string, CaseDocument> => {
  const byKey = new Map<string, CaseDocument>()
  for (const item of cases) if (!byKey.has(item.case_key)) byKey.set(item.case_key, item)
  return byKey
}

const compared = (case_key: string, base: CaseDocument | null, head: CaseDocument | null): ComparedCase => {
  // One of both is there.
  const name = caseName((head ?? base)!)
  const isBoth = base !== null && head !== null
  return {
    case_key,
    name,
    base,
    head,
    delta: base === null ? 'added' : head === null ? 'removed' : caseDelta(base.status, head.status),
    output_changed: isBoth && isOtherOutput(base.output, head.output),
  }
}

const isPassing = (status: CaseStatus): boolean => status === 'pass' || status === 'xpass'

const caseDelta = (base: CaseStatus, head: CaseStatus): Delta => {
  if (isPassing(base)) return isPassing(head) ? 'unchanged' : 'newly_failing'
  return isPassing(head) ? 'newly_passing' : 'still_failing'
}

const isOtherOutput = (base: unknown, head: unknown): boolean =>
  typeof base === 'string' && typeof head === 'string'
    ? base !== head
    : canonicalJson(base ?? null) !== canonicalJson(head ?? null)

/** A comparison as a JSON document, with further members if there are any. */
export const comparisonJson = (
  { cases, summary, mcnemar: test, columns }: Comparison,
  more: Readonly<Record<string, unknown>> = {},
): string => {
  const { newly_failing, newly_passing, still_failing, unchanged, output_changed, added, removed } = summary
  const { regressions, fixes, statistic, significant } = test
  const document = {
    cases: cases.map(({ case_key, name, base, head, delta, output_changed: changed }) => ({
      case_key,
      name,
      base_status: base?.status ?? null,
      head_status: head?.status ?? null,
      delta,
      output_changed: changed,
    })),
    summary: { newly_failing, newly_passing, still_failing, unchanged, output_changed, added, removed },
    mcnemar: { regressions, fixes, statistic, significant },
    ...(columns && {
      base_column: columns.base ? columnText(columns.base) : null,
      head_column: columns.head ? columnText(columns.head) : null,
      verdict: columns.verdict,
      pairs: columns.pairs,
      p_value: columns.p_value,
      difference: columns.difference,
    }),
    ...more,
  }
  return `${JSON.stringify(document, null, 2)}\n`
}

/** The digests of two configurations that differ; null if they are equal, or one of them is not known. */
export const changedConfig = ({ base, head }: Comparison): readonly [base: string, head: string] | null => {
  const [older, newer] = [base.config_digest, head.config_digest]
  return older === '' || newer === '' || older === newer ? null : [older, newer]
}

/** The change counts as one line. */
export const changeCounts = ({ summary }: Comparison): string =>
  [
    `${summary.newly_failing} newly failing`,
    `${summary.newly_passing} newly passing`,
    `${summary.still_failing} still failing`,
    `${summary.output_changed} output-changed`,
    `${summary.added} added`,
    `${summary.removed} removed`,
  ].join(', ')

/** How a terminal names a side: the run, and the column of it that is compared. */
export const sideName = (run: string, column: Column | undefined): string =>
  column ? `${run} ${printable(columnText(column))}` : run

/** The verdict, with both names: of the columns, or of the runs if those are equal. */
const verdictText = ({ base, head, columns }: Comparison, { verdict }: PairedTest): string => {
  const sides = [
    [columns?.base, base],
    [columns?.head, head],
  ] as const
  const named = sides.map(([column, { run_id }]) => (column ? columnText(column) : run_id))
  const [one = '', other = ''] = new Set(named).size === 2 ? named : [base.run_id, head.run_id]
  if (verdict === 'too_few') return 'too few changes for a verdict'
  if (verdict === 'no_clear_change') return `no clear difference between ${printable(other)} and ${printable(one)}`
  return `${printable(other)} is ${verdict} than ${printable(one)}`
}

const signed = (points: number): string => `${points < 0 ? '−' : points > 0 ? '+' : ''}${Math.abs(points).toFixed(1)}`

/** The test as one line. For columns it is the exact one, with the difference and its interval. */
export const testText = (comparison: Comparison): string => {
  const { columns, summary } = comparison
  if (columns === null) return mcnemarText(comparison)
  const { pairs, p_value, difference, hasTrials } = columns
  if (p_value === null || difference === null) return 'the columns share no case that passed or failed in both'
  const [estimate, lower, upper] = [difference.estimate, difference.lower, difference.upper].map((v) => signed(100 * v))
  const counts = `${summary.newly_failing} worse, ${summary.newly_passing} better of ${pairs} pairs`
  const trials = hasTrials ? '; trials of a test were counted as independent cases' : ''
  return `${verdictText(comparison, columns)}: ${counts}, p = ${p_value.toFixed(3)}, ${estimate} points, 95% interval ${lower} to ${upper}${trials}`
}

const mcnemarText = ({ mcnemar: { regressions, fixes, statistic, significant } }: Comparison): string =>
  `McNemar: ${regressions} regressions vs ${fixes} fixes, statistic ${statistic.toFixed(2)} (${significant ? '' : 'not '}significant at 95%)`
