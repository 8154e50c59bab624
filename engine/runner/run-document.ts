import type { AssertionResult } from '../assertions/assertion.ts'
import type { CaseStatus } from '../../domain/run/document.ts'
import type { Json, JsonObject } from '../json.ts'
import type { RenderedPrompt, Usage } from '../providers/provider.ts'
import type { ToolCall } from '../suite/suite.ts'

/** A run document as this engine writes it. Members whose value is unknown are left out. */
export type RunDocument = {
  readonly schema_version: 3
  readonly run_id: string
  readonly project?: string
  readonly suite?: string
  readonly started_at: string
  readonly finished_at: string
  readonly config_digest: string
  readonly config_snapshot: JsonObject
  readonly git?: { readonly branch?: string; readonly commit?: string; readonly dirty: boolean }
  readonly ci?: { readonly provider?: string; readonly run_url?: string }
  readonly origin?: {
    readonly actor?: string
    readonly host?: string
    readonly version?: string
    readonly note?: string
    readonly redacted?: boolean
  }
  readonly digests?: {
    readonly prompts?: string
    readonly providers?: string
    readonly tests?: string
    readonly asserts?: string
    readonly grader?: string
  }
  /** Only in the local store, after an upload; never part of an uploaded document. */
  readonly share_url?: string
  /** The SHA-256 of the manifest of its parts. */
  readonly evidence_manifest?: string
  readonly filters: {
    readonly tags?: readonly string[]
    readonly filters?: readonly string[]
    readonly providers?: readonly string[]
    readonly prompts?: readonly string[]
  }
  readonly cases: readonly CaseDocument[]
  readonly summary: RunSummary
}

export type CaseDocument = {
  readonly cell: {
    readonly provider_id: string
    readonly prompt_id?: string
    readonly test_id: string
    readonly repeat: number
  }
  readonly case_key: string
  readonly name?: string
  readonly tags?: readonly string[]
  readonly vars?: JsonObject
  readonly status: CaseStatus
  readonly score: number
  readonly output?: Json
  readonly prompt?: RenderedPrompt
  readonly request?: Json
  readonly stop_reason?: string
  readonly model?: string
  readonly tool_calls?: readonly ToolCall[]
  readonly raw?: Json
  readonly asserts: readonly AssertionResult[]
  readonly usage?: Usage
  readonly cost_usd?: number
  readonly latency_ms: number
  readonly wall_ms?: number
  readonly cached: boolean
  readonly cache_key?: string
  readonly attempts: number
  readonly prompt_digest?: string
  readonly provider_digest?: string
  readonly assert_digest?: string
  readonly error?: string
  readonly error_details?: Json
  readonly error_class?: string
  readonly reasoning?: string
  readonly empty_reason?: string
  readonly answered_by_provider_id?: string
  readonly fallback_attempts?: ReadonlyArray<{
    readonly provider_id: string
    readonly empty_reason?: string
    readonly error_class?: string
  }>
  readonly expect_fail_reason?: string
}

/** Totals of a run. */
export type RunSummary = {
  readonly total: number
  readonly passed: number
  readonly failed: number
  readonly errored: number
  readonly skipped: number
  readonly xfailed?: number
  readonly xpassed?: number
  readonly prompt_tokens: number
  readonly completion_tokens: number
  readonly cost_usd?: number
  readonly cache_hits: number
  readonly cache_misses: number
  readonly retried_cases: number
  readonly cache_read_tokens?: number
  readonly cache_write_tokens?: number
  readonly cache_savings_usd?: number
  readonly grader_cost_usd?: number
  readonly empty_counts?: Readonly<Record<string, number>>
  readonly fallback_cases?: number
}
