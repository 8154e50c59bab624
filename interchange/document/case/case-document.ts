import type { Json } from '../../../domain/run/readers.ts'
import type { AssertionDocument } from './assertions.ts'
import type { Prompt } from './case-draft.ts'

/** A case as it is in a run document; absent members are unknown. */
export type CaseDocument = {
  readonly cell: {
    readonly provider_id: string
    readonly prompt_id?: string
    readonly test_id: string
    readonly repeat: number
  }
  readonly case_key: string
  readonly status: 'pass' | 'fail' | 'error' | 'skip' | 'xfail' | 'xpass'
  readonly asserts: readonly AssertionDocument[]
  readonly usage?: Readonly<Record<string, number>>
  readonly cost_usd?: number
  readonly attempts: number
  readonly cached: boolean
  readonly empty_reason?: string
  readonly prompt?: Prompt
  readonly output?: Json
} & Readonly<Record<string, unknown>>
