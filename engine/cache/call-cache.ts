import type { Json, JsonObject } from '../json.ts'
import type { ProviderResponse, Usage } from '../providers/provider.ts'

export type CacheMode = 'normal' | 'off' | 'only'

/** What a cache entry of a provider call holds besides its response. */
export type StoredResponse = ProviderResponse & {
  readonly attempts: number
  readonly provider_latency_ms: number
  readonly address?: string
  readonly program_digest?: string
}

/** An entry of a grading call: a verdict of a judge, an embedding, a result of an exec assertion. */
export type StoredGrading = {
  readonly kind: 'judge' | 'embedding' | 'exec_assert'
  readonly output: Json
  readonly raw: Json
  readonly usage?: Usage
  readonly cost_usd?: number
  readonly model?: string
  /** The verdict of an old entry, which takes the place of `raw`. */
  readonly verdict?: StoredVerdict
}

export type StoredVerdict =
  | { readonly kind: 'rubric'; readonly score: number; readonly pass: boolean; readonly reasoning?: string }
  | { readonly kind: 'similarity'; readonly cosine: number }
  | {
      readonly kind: 'exec'
      readonly pass: boolean
      readonly score: number
      readonly reason?: string
      readonly details?: Json
    }

/** Reads and writes entries of the cache in the format that all engines share. All methods throw `CacheUnavailable`. */
export type CallCache = {
  /** The response stored under a key; null: none. An entry that cannot be parsed throws `CacheUnavailable`. */
  readonly readResponse: (key: string, signal: AbortSignal) => Promise<StoredResponse | null>
  readonly writeResponse: (
    key: string,
    request: JsonObject,
    response: StoredResponse,
    signal: AbortSignal,
  ) => Promise<void>
  /** The entry of a grading call, whose kind the caller knows; null: none. */
  readonly readGrading: (key: string, signal: AbortSignal) => Promise<Omit<StoredGrading, 'kind'> | null>
  readonly writeGrading: (
    key: string,
    request: JsonObject,
    grading: StoredGrading,
    signal: AbortSignal,
  ) => Promise<void>
}
