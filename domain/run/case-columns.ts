import { z } from 'zod'
import { CASE_STATUSES } from './document.ts'

// Every column of the table `cases`, once. Queries derive row schemas, column lists and response fields from
// here; projections derive what they insert. Each group except `other` is one part of a response: its columns
// follow each other there in this order, under their own names. Times are epoch milliseconds, money is whole micro-USD.

const count = z.number().int()
const text = z.string()

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
