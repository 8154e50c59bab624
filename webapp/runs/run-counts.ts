import type { RunListItem } from '../../queries/runs/run-list.ts'
import type { Status } from './statuses.ts'

type Counters = Pick<
  RunListItem,
  'case_count' | 'pass_count' | 'fail_count' | 'error_count' | 'xfail_count' | 'xpass_count'
>

/** How many cases of a run ended how. What no counter tells was skipped. */
export const countsOf = (run: Counters): Readonly<Record<Status, number>> => {
  const { pass_count: pass, fail_count: fail, error_count: error, xfail_count: xfail, xpass_count: xpass } = run
  return { pass, fail, error, xfail, xpass, skip: Math.max(0, run.case_count - pass - fail - error - xfail - xpass) }
}

/** Tokens in and out together; null where none were recorded: no model answers without any. */
export const tokensOf = ({
  prompt_tokens,
  completion_tokens,
}: Pick<RunListItem, 'prompt_tokens' | 'completion_tokens'>): number | null =>
  Math.min(Number.MAX_SAFE_INTEGER, prompt_tokens + completion_tokens) || null

/** Milliseconds from start to end; null where both were written as the same instant. */
export const durationOf = ({ duration_ms }: Pick<RunListItem, 'duration_ms'>): number | null => duration_ms || null
