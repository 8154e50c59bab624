import type { Prompt, Turn } from '../../../domain/run/document.ts'
import type { ASSERTION_KINDS, CaseStatus, toolCall, usage } from '../../../domain/run/document.ts'
import type { CaseEvidence } from '../evidence/case-evidence.ts'
import type { Json } from '../../../domain/run/readers.ts'
import type { Row } from '../../read/row.ts'

export type AssertionKind = (typeof ASSERTION_KINDS)[number]
export type ToolCall = ReturnType<typeof toolCall>
export type Usage = Partial<ReturnType<typeof usage>>
export type { Prompt, Turn }

/** An assertion, a metric or a feedback of the source. */
export type AssertionDraft = {
  /** The name that the tool shows, for `--scorer` and `criteria.name`. */
  readonly name: string | null
  readonly kind: AssertionKind
  /** The tool's own type, where `kind` is `exec` in its place. */
  readonly originalType?: string | null
  /** The tool's result. Null: the score decides, from the threshold on. */
  readonly passed: boolean | null
  /** The assertion itself failed, or was not evaluated. */
  readonly status?: 'error' | 'skipped'
  /** Null: 1 or 0, as it passed or not. */
  readonly score: number | null
  /** The lowest and the highest score, if the source says so: the score is scaled to 0..1. */
  readonly range?: readonly [number, number]
  /** Whether a low score is good, or a high one, if the source says so. */
  readonly lowerIsBetter?: boolean
  /** From which score on it passes, if the source says so. On the scale of the source. */
  readonly threshold?: number | null
  readonly weight?: number
  /** Whether the outcome of the case depends on it in the tool. Default true. */
  readonly decides?: boolean
  readonly reason?: string | null
  readonly details?: Json
  readonly criteria?: Readonly<Record<string, Json>>
  readonly costUsd?: number | null
}

/** Names a test: by the id of the source, or by its inputs, whose hash becomes the id. */
export type TestName = string | { readonly inputs: unknown }

/** A case as an importer reads it. Null and absent members are unknown. */
export type CaseDraft = {
  /** The label of the system under test that the tool shows, else its model. */
  readonly provider: string | null
  readonly prompt?: string | null
  readonly test: TestName
  /** The number of the trial from 0, if the source numbers them; null: the next free one. */
  readonly repeat?: number | null
  /** Whether cells that appear again are expected, and so no loss: null if the source has a number for trials. */
  readonly name?: string | null
  readonly tags?: readonly string[]
  readonly vars?: Readonly<Record<string, Json>>
  /** The outcome that the tool shows. Absent: from `failure` and the assertions. */
  readonly status?: CaseStatus
  /** The score that the tool shows, 0..1. Absent: from the assertions. */
  readonly score?: number | null
  /** The case is a total of the source: the score of its only assertion is its own, though nothing was tested. */
  readonly isTotal?: true
  /** The task itself failed. */
  readonly failure?: { readonly message: string; readonly trace?: string | null; readonly class?: string | null } | null
  readonly asserts: readonly AssertionDraft[]
  readonly output?: Json
  readonly promptSent?: Prompt | null
  readonly request?: Json
  readonly stopReason?: string | null
  readonly model?: string | null
  readonly toolCalls?: readonly ToolCall[]
  readonly reasoning?: string | null
  readonly usage?: Usage | null
  readonly costUsd?: number | null
  readonly latencyMs?: number | null
  readonly wallMs?: number | null
  readonly cached?: boolean
  readonly attempts?: number | null
  readonly emptyReason?: string | null
  readonly promptDigest?: string | null
  /** What was not read: it becomes `raw`, within 64 KiB. */
  readonly rest?: Row | null
  /** More for `raw`, by key, which has no other place in a case. */
  readonly raw?: Readonly<Record<string, Json>>
  /** What it has apart from its document, if evidence is kept. */
  readonly evidence?: CaseEvidence | null
}
