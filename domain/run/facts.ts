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

/** The recorded hash of a document's content. */
export type ContentHash = { readonly content_hash: string; readonly hash_version: number }
