import type { SearchText } from '../search/search-text.ts'
import type { CaseStatus } from './document.ts'

export type AssertFacts = {
  readonly label: string
  readonly kind: string
  readonly passed: boolean
  readonly score: number
}

/** What the read tables store of one case. Text has no NUL and no lone surrogate: not every database can store them. */
export type CaseFacts = {
  readonly n: number
  readonly history_key: number
  readonly case_key: string
  readonly name: string | null
  readonly status: CaseStatus
  readonly score: number
  readonly provider_id: string
  readonly prompt_id: string | null
  readonly test_id: string
  readonly repeat: number
  readonly stop_reason: string | null
  readonly error: string | null
  readonly error_class: string | null
  readonly empty_reason: string | null
  readonly answered_by_provider_id: string | null
  /** The model that the provider reported. */
  readonly model: string | null
  readonly cached: boolean
  readonly cache_key: string | null
  readonly prompt_tokens: number | null
  readonly completion_tokens: number | null
  readonly cost_micro: number | null
  readonly latency_ms: number
  /** SHA-256 of the output as text, in hex. */
  readonly output_hash: string | null
  readonly output_preview: string | null
  /** The first tool call, and the first reason why the case failed, each as one line. */
  readonly call_line: string | null
  readonly failure_line: string | null
  readonly asserts: readonly AssertFacts[]
  readonly tags: readonly string[]
  readonly prompt_digest: string | null
  readonly provider_digest: string | null
  readonly assert_digest: string | null
  readonly document_offset: number
  readonly document_length: number
  readonly search: SearchText
}

/**
 * A case that has the key of an earlier case of the document, whose number is in `hidden_by`: lists show the earlier one alone.
 */
export type HiddenCase = {
  readonly n: number
  readonly hidden_by: number
  readonly provider_id: string
  readonly document_offset: number
  readonly document_length: number
}

/** What the read tables store of one run. Times are epoch milliseconds, money is whole micro-USD. */
export type RunFacts = {
  readonly id: string
  readonly project: string | null
  readonly suite: string | null
  /** The end of the run. */
  readonly created_at: number
  /** The start, also as the document says; it may be after the end. */
  readonly started_at: number
  readonly schema_version: number
  readonly content_hash: string
  readonly hash_version: number
  readonly config_digest: string | null
  /** The configuration as JSON text. */
  readonly config: string
  readonly git_branch: string | null
  readonly git_commit: string | null
  readonly git_dirty: boolean | null
  readonly case_count: number
  readonly pass_count: number
  readonly fail_count: number
  readonly error_count: number
  readonly xfail_count: number
  readonly xpass_count: number
  readonly prompt_tokens: number
  readonly completion_tokens: number
  readonly cost_micro: number | null
  readonly grader_cost_micro: number | null
  readonly cache_savings_micro: number | null
  readonly duration_ms: number
  readonly cache_hits: number
  readonly cache_misses: number
  readonly cache_read_tokens: number
  readonly cache_write_tokens: number
  readonly empty_count: number
  readonly empty_counts: Readonly<Record<string, number>>
  readonly assert_labels: readonly string[]
  readonly actor: string | null
  readonly host: string | null
  readonly ci_provider: string | null
  readonly ci_run_url: string | null
  readonly note: string | null
  readonly service_version: string | null
  readonly tags: readonly string[]
  readonly digests: Readonly<Record<'prompts' | 'providers' | 'tests' | 'asserts' | 'grader', string | null>>
  readonly search: SearchText
}

/** The recorded hash of a document's content. */
export type ContentHash = { readonly content_hash: string; readonly hash_version: number }
