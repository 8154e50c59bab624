import { canonicalJson } from '../../domain/run/canonical-json.ts'
import type { CaseStatus } from '../../domain/run/document.ts'
import { mcnemar, type McNemar } from '../../domain/statistics/statistics.ts'
import type { CaseDocument, RunDocument } from '../runner/run-document.ts'
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
  const summary: Record<Delta | 'output_changed', number> = {
    newly_failing: 0,
    newly_passing: 0,
    still_failing: 0,
    unchanged: 0,
    output_changed: 0,
    added: 0,
    removed: 0,
  }
  for (const { delta, output_changed } of cases) {
    summary[delta] += 1
    if (output_changed) summary.output_changed += 1
  }
  return { base, head, cases, summary, mcnemar: mcnemar(summary.newly_failing, summary.newly_passing) }
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

/** A comparison as a JSON document. */
export const comparisonJson = ({ cases, summary, mcnemar: test }: Comparison): string => {
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

export const mcnemarText = ({ mcnemar: { regressions, fixes, statistic, significant } }: Comparison): string =>
  `McNemar: ${regressions} regressions vs ${fixes} fixes, statistic ${statistic.toFixed(2)} (${significant ? '' : 'not '}significant at 95%)`
