import type { AssertionSpec } from '../suite/suite.ts'
import type { Verdict } from '../assertions/assertion.ts'
import type { Json, JsonObject } from '../json.ts'
import type { ToolCall } from '../suite/suite.ts'

/** What a graded assertion (`exec`, `llm-rubric`, `similar`) judges. */
export type GradedCase = {
  /** Absent: no output at all. */
  readonly output?: Json
  readonly tool_calls: readonly ToolCall[]
  /** The rendered vars, without `env`. */
  readonly vars: JsonObject
  readonly env: Readonly<Record<string, string>>
  readonly test: { readonly id: string; readonly tags: readonly string[] }
  readonly provider_id: string
  readonly repeat: number
}

/**
 * Evaluates the graded assertions of a run. Never throws for a fault of a judge, a program or the suite: every fault is
 * a verdict of status `error`.
 */
export type Grader = {
  readonly grade: (assertion: AssertionSpec, subject: GradedCase, signal: AbortSignal) => Promise<Verdict>
}
