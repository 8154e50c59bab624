import type { ASSERTION_KINDS } from '../../domain/run/document.ts'
import type { Json } from '../json.ts'

export type AssertionKind = (typeof ASSERTION_KINDS)[number]

/** The kinds that a program or a model decides. They run after all others, and only if they can change the outcome. */
export const GRADED_KINDS: ReadonlySet<AssertionKind> = new Set(['exec', 'llm-rubric', 'similar'])

/** What one assertion found, before negation. `score` is 0..1. */
export type Verdict =
  | {
      readonly status: 'pass' | 'fail'
      readonly score: number
      readonly reason: string
      readonly details?: Json
      readonly cached?: boolean
      /** The cache keys of its calls, in order; absent: none of them may use the cache. */
      readonly keys?: readonly string[]
      /** Cost of grading in USD; null: not known. Absent: grading is free. */
      readonly cost_usd?: number | null
    }
  | {
      /** The assertion could not be evaluated. Never negated. */
      readonly status: 'error'
      readonly reason: string
      readonly error_class: string
      /** The exit code that this error asks for although its class says otherwise (a template that contradicts its flag). */
      readonly exit_code?: 3
      readonly details?: Json
      /** A judge rejected the credential: the run stops starting cells. */
      readonly credential_rejected?: boolean
    }

/** The result of an assertion as a run document records it. Absent members are left out. */
export type AssertionResult = {
  readonly kind: AssertionKind
  readonly status: 'pass' | 'fail' | 'error' | 'skipped'
  readonly score: number
  readonly weight: number
  readonly reason: string
  readonly details?: Json
  readonly criteria: Json
  readonly cached: boolean
  readonly cost_usd?: number
}
