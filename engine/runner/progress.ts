import type { CaseDocument } from './run-document.ts'

/** What happens during a run, in order. */
export type RunEvent =
  | { readonly kind: 'run_started'; readonly total: number; readonly run_id: string }
  | {
      readonly kind: 'case_started'
      readonly index: number
      readonly name: string
      readonly provider_id: string
      readonly at_ms: number
    }
  | { readonly kind: 'case_finished'; readonly index: number; readonly case: CaseDocument; readonly at_ms: number }
  | { readonly kind: 'run_finished'; readonly interrupted: boolean }
  | { readonly kind: 'warning'; readonly message: string }
