import type { NormalRun } from '../run/document.ts'

// What writes a run in a format, case by case. An export is made in steps, and each step may run on another thread. So
// everything that an exporter must remember between two steps is its state, and a state is plain data.

/** What is known of a run before its first case. */
export type ExportHead = {
  readonly run: NormalRun
  /** Epoch milliseconds. */
  readonly created_at: number
  /** How many of the cases have the key of an earlier one, so that no list shows them. */
  readonly hidden_cases: number
  /** What people added to the run after its upload; null for nothing. */
  readonly added: ExportedAddition | null
  /** What people said about the run and its cases, the oldest first. */
  readonly comments: readonly ExportedComment[]
}

/** A title, a note and tags that are no part of the document. `at` is RFC 3339; `by` is null if it is not known any more. */
export type ExportedAddition = {
  readonly title: string | null
  readonly note: string | null
  readonly tags: readonly string[]
  readonly revision: string
  readonly at: string
  readonly by: string | null
}

/** A comment. `case_key` is null if it is on the run itself; `at` is RFC 3339, and `by` null if it is not known any more. */
export type ExportedComment = {
  readonly id: string
  readonly case_key: string | null
  readonly text: string
  readonly at: string
  readonly by: string | null
}

/** Options of CSV. */
export type ExportOptions = {
  /** Whether the file begins with a byte order mark. */
  readonly bom: boolean
  /** Whether fields that a spreadsheet may run as a formula are left as they are. */
  readonly raw: boolean
}

/**
 * The stored text of a case, and its number in the document, from 0. `hidden_by` is the number of the earlier case with the same
 * key, which lists show in its place.
 */
export type CaseText = { readonly n: number; readonly bytes: Uint8Array; readonly hidden_by?: number }

export type Output = ReadonlyArray<string | Uint8Array>
export type ExportStep<State> = {
  readonly output: Output
  readonly state: State
  /** The state holds much that is not written yet, so the next cases should follow on the same thread. */
  readonly isOpen?: true
}

/** The cases that one call of `add` gets: it ends with the case that reaches one of the limits. */
type Batch = { readonly maxCases: number; readonly maxBytes: number }

export type Exporter<State> = {
  /** `provider`: the cases of a provider follow each other, in the order of the document. */
  readonly order: 'document' | 'provider'
  readonly batch: Batch
  readonly begin: (head: ExportHead, options: ExportOptions) => ExportStep<State>
  /**
   * Called before the first case with the cases whose test has trials that disagree: one bit for each case number. They
   * take long to find, so the beginning of a file does not wait for them.
   */
  readonly addFlaky?: (state: State, flaky: Uint8Array) => State
  readonly add: (state: State, cases: readonly CaseText[]) => ExportStep<State>
  /** After the last case. With `again`, all cases follow once more: the first pass only collected. */
  readonly end: (state: State) => ExportStep<State> & { readonly again: boolean }
}

/** An exporter whose state is known to itself alone. */
export type AnyExporter = Exporter<unknown>

/** Hides the type of the state. Safe: a state only ever returns to the exporter that made it. */
export const exporterOf = <State>(exporter: Exporter<State>): AnyExporter => exporter as unknown as AnyExporter

/** Whether a case has its bit. */
export const hasBit = (bits: Uint8Array, n: number): boolean => (((bits[n >> 3] ?? 0) >> (n & 7)) & 1) === 1
