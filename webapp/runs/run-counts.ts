import type { RunListItem } from '../../queries/runs/run-list.ts'
import type { Status } from './statuses.ts'

type Counters = Pick<
  RunListItem,
  'case_count' | 'pass_count' | 'fail_count' | 'error_count' | 'xfail_count' | 'xpass_count'
>

/** The number of cases by status. Cases that no counter includes were skipped. */
export const statusCounts = (run: Counters): Readonly<Record<Status, number>> => {
  const { pass_count: pass, fail_count: fail, error_count: error, xfail_count: xfail, xpass_count: xpass } = run
  return { pass, fail, error, xfail, xpass, skip: Math.max(0, run.case_count - pass - fail - error - xfail - xpass) }
}

/** The sum of input and output tokens. Null if the sum is 0: every model uses tokens, so none were recorded. */
export const runTokens = ({
  prompt_tokens,
  completion_tokens,
}: Pick<RunListItem, 'prompt_tokens' | 'completion_tokens'>): number | null =>
  Math.min(Number.MAX_SAFE_INTEGER, prompt_tokens + completion_tokens) || null

/** Milliseconds from start to end; null if both are the same instant. */
export const runDuration = ({ duration_ms }: Pick<RunListItem, 'duration_ms'>): number | null => duration_ms || null
