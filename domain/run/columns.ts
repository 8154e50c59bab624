import { z } from 'zod'
import { CASE_STATUSES } from './document.ts'

// Every column of the tables `runs` and `cases`, once. Queries derive row schemas, column lists and response fields from
// here; projections derive what they insert. Each group except `other` is one part of a response: its columns
// follow each other there in this order, under their own names (in the run list, `uploaded_by` comes last). Times are epoch milliseconds, money is whole micro-USD.

const count = z.number().int()
const text = z.string()

export const runColumns = {
  /** The identity of a run and the counts of its results. In the list and the detail, `created_at` as RFC 3339 text. */
  outcome: {
    id: text,
    project: text.nullable(),
    suite: text.nullable(),
    created_at: count,
    git_branch: text.nullable(),
    git_commit: text.nullable(),
    git_dirty: z.boolean().nullable(),
    case_count: count,
    pass_count: count,
    fail_count: count,
    error_count: count,
    xfail_count: count,
    xpass_count: count,
  },
  /** In the list and in the detail. `cost_usd` follows in both. */
  tokens: { prompt_tokens: count, completion_tokens: count },
  /** In the list and in the detail. */
  calls: { duration_ms: count, cache_hits: count.nullable(), cache_misses: count.nullable() },
  /** In the list and in the detail, with the label of the uploader in place of its id. */
  origin: {
    actor: text.nullable(),
    host: text.nullable(),
    uploaded_by: text.nullable(),
    ci_provider: text.nullable(),
    ci_run_url: text.nullable(),
    note: text.nullable(),
    service_version: text.nullable(),
    tags: z.array(text),
  },
  /** Only in the detail. There `uploaded_at` is RFC 3339 text. */
  detail: {
    uploaded_at: count,
    schema_version: count,
    content_hash: text,
    config_digest: text.nullable(),
    cache_read_tokens: count.nullable(),
    cache_write_tokens: count.nullable(),
  },
  /** A response contains these columns under other names, only when they are not empty, or not at all. */
  other: {
    run_no: count,
    set_key: text.nullable(),
    started_at: count,
    hash_version: count,
    document_sha256: text,
    document_bytes: count,
    cost_micro: count.nullable(),
    grader_cost_micro: count.nullable(),
    cache_savings_micro: count.nullable(),
    empty_count: count.nullable(),
    empty_counts: z.record(text, count).nullable(),
    assert_labels: z.array(text),
    digests: z.object({
      prompts: text.nullable(),
      providers: text.nullable(),
      tests: text.nullable(),
      asserts: text.nullable(),
      grader: text.nullable(),
    }),
    fully_cached: z.boolean(),
    failing: z.boolean(),
    erroring: z.boolean(),
    stored_cases: count,
    hidden_cases: count.nullable(),
    largest_asserts: count,
    /** The run as the list contains it, as JSON text without `uploaded_by`. */
    list_item: text,
  },
}

/** A whole row of `runs`. */
export const RunRow = z.object({
  ...runColumns.outcome,
  ...runColumns.tokens,
  ...runColumns.calls,
  ...runColumns.origin,
  ...runColumns.detail,
  ...runColumns.other,
})
export type RunRow = z.infer<typeof RunRow>

export const caseColumns = {
  /** In the case list. `cost_usd` follows. */
  result: {
    name: text.nullable(),
    status: z.enum(CASE_STATUSES),
    output_preview: text.nullable(),
    asserts: z.array(z.object({ label: text, kind: text, passed: z.boolean(), score: z.number() })),
    prompt_tokens: count.nullable(),
    completion_tokens: count.nullable(),
  },
  /** In the case list. */
  call: {
    latency_ms: count.nullable(),
    provider_id: text.nullable(),
    prompt_id: text.nullable(),
    test_id: text.nullable(),
    repeat: count.nullable(),
    score: z.number().nullable(),
    stop_reason: text.nullable(),
    cached: z.boolean().nullable(),
    error: text.nullable(),
    error_class: text.nullable(),
  },
  /** A response contains these columns under other names, only when they are not null, or not at all. */
  other: {
    run_no: count,
    n: count,
    history_key: count,
    created_at: count,
    case_key: text,
    empty_reason: text.nullable(),
    answered_by_provider_id: text.nullable(),
    model: text.nullable(),
    cache_key: text.nullable(),
    cost_micro: count.nullable(),
    output_hash: z.instanceof(Buffer).nullable(),
    /** The first tool call, and the first reason why the case failed, each as one line. */
    call_line: text.nullable(),
    failure_line: text.nullable(),
    tags: text.nullable(),
    prompt_digest: text.nullable(),
    provider_digest: text.nullable(),
    assert_digest: text.nullable(),
    document_offset: count,
    document_length: count,
  },
}

/** A whole row of `cases`. */
export const CaseRow = z.object({ ...caseColumns.result, ...caseColumns.call, ...caseColumns.other })
export type CaseRow = z.infer<typeof CaseRow>
