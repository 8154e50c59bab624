import type { CaseInSuite } from '../../queries/cases/case-in-suite.ts'
import { STATUS_WORDS } from '../runs/statuses.ts'

// Where else the test of a case was run: what its pictures and transcripts are compared with.

/** A case that is shown next to the open one. */
export type OtherCase = {
  readonly run_id: string
  readonly case_key: string
  readonly label: string
  /** Null if it is none that this page knows. */
  readonly status: keyof typeof STATUS_WORDS | null
}

const statusOf = (status: string): OtherCase['status'] =>
  Object.keys(STATUS_WORDS).find((known): known is keyof typeof STATUS_WORDS => known === status) ?? null

/** Other trials and columns of the test in the run, then the case in other runs of the suite, the newest first. */
export const otherCases = (
  { test, history }: Pick<CaseInSuite, 'test' | 'history'>,
  { run_id, case_key }: { readonly run_id: string; readonly case_key: string },
): OtherCase[] => [
  ...test.cases
    .filter((each) => each.case_key !== case_key)
    .map(({ case_key: key, provider_id, prompt_id, repeat, status }) => ({
      run_id,
      case_key: key,
      label: [provider_id, prompt_id, repeat === null ? null : `trial ${repeat + 1}`].filter(Boolean).join(', '),
      status: statusOf(status),
    })),
  ...(history?.points ?? [])
    .filter((point) => point.run_id !== run_id)
    .toSorted((a, b) => (a.created_at < b.created_at ? 1 : -1))
    .map((point) => ({
      run_id: point.run_id,
      case_key,
      label: `run of ${point.created_at.slice(0, 16).replace('T', ' ')}`,
      status: statusOf(point.status),
    })),
]
