import type { PlanList } from '../../../../queries/plans/plans.ts'
import { formatCount, plural } from '../../../text/format.ts'
import { visibleLine } from '../../../text/visible-text.ts'

export type PlanView = PlanList['plans'][number]

/** Digits of a digest that tell plans of one suite apart. */
const DIGEST_DIGITS = 12

const PERCENT = new Intl.NumberFormat('en-US', { minimumFractionDigits: 1, maximumFractionDigits: 4 })
/** A threshold as `90.0%`, with all of its digits: it decides. */
const percent = (threshold: number): string => `${PERCENT.format(threshold * 100)}%`

/** What a plan demands, in words; empty where it says nothing. */
export const demands = ({ comparator, threshold, case_count }: PlanView): string[] => [
  ...(comparator === null || threshold === null
    ? []
    : [`pass rate ${comparator === '>' ? 'above' : 'at least'} ${percent(threshold)}`]),
  ...(case_count === null ? [] : [plural(case_count, 'case')]),
]

/** Whether the text of a plan was known from the beginning, and whether the plan counts no more. */
export const stateTags = ({
  withdrawn_at,
  revealed_at,
  plan_bytes,
}: PlanView): ReadonlyArray<{ readonly words: string; readonly isWarning: boolean }> => [
  ...(withdrawn_at === null ? [] : [{ words: 'withdrawn', isWarning: true }]),
  ...(plan_bytes === null
    ? [{ words: 'text not revealed', isWarning: false }]
    : revealed_at === null
      ? []
      : [{ words: 'text revealed later', isWarning: false }]),
]

/** How often a plan was tried. */
export const attemptWords = ({ attempts, withdrawn_at }: PlanView): string =>
  attempts === 0
    ? withdrawn_at === null
      ? 'no run yet'
      : 'no run'
    : attempts === 1
      ? '1 attempt'
      : `${formatCount(attempts)} attempts`

/** Names a plan where it has no name of its own. */
export const shortDigest = ({ plan_sha256 }: PlanView): string => plan_sha256.slice(0, DIGEST_DIGITS)

const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`

/** The command that registers a plan of a suite. */
export const registerCommand = ({ project, suite }: { readonly project: string; readonly suite: string }): string =>
  `ers plan register plan.md --project ${quoted(visibleLine(project))} --suite ${quoted(visibleLine(suite))} --pass-rate '>=0.9'`
