import type { CasePart } from '../evidence/case-parts.ts'
import type { Json, JsonObject } from '../json.ts'
import type { ProviderSpec, Tool, ToolCall, Turn } from '../suite/suite.ts'

/** A rendered prompt, as documents and programs see it. */
export type RenderedPrompt = { readonly text: string } | { readonly messages: readonly Turn[] }

/** Token counts. `input_tokens` excludes the cache figures. */
export type Usage = {
  readonly input_tokens: number
  readonly output_tokens: number
  readonly cache_read_tokens?: number
  readonly cache_write_tokens?: number
  readonly cache_write_1h_tokens?: number
}

/** What a cell asks of a provider. */
export type CallInput = {
  /** Null: the suite has no prompts and the test has no history. */
  readonly prompt: RenderedPrompt | null
  /** The rendered vars, without `env`. */
  readonly vars: JsonObject
  readonly test: { readonly id: string; readonly tags: readonly string[] }
  readonly tools: readonly Tool[]
}

/** A response of a provider, or of the cache in its place. */
export type ProviderResponse = {
  /** Absent: no output at all. */
  readonly output?: Json
  readonly usage?: Usage
  /** The cost that the provider itself reported (exec). */
  readonly cost_usd?: number
  readonly model?: string
  readonly stop_reason?: string
  readonly reasoning?: string
  readonly tool_calls: readonly ToolCall[]
  /** The classification of the provider, before `refusal_patterns`. */
  readonly empty_reason?: string
  readonly raw?: Json
  /** Files of the answer, and what was moved out of `raw`. Their bytes are in the folder of parts. */
  readonly parts?: readonly CasePart[]
}

/** A call that is ready to be sent: everything is rendered. */
export type PreparedCall = {
  /** The request as a document shows it: placeholders for values of `env`, no headers. */
  readonly preview: Json
  /** The canonical request, which is hashed for the cache key. Null: the call has no key. */
  readonly canonical: JsonObject | null
  /** Sends the request once. Throws `ProviderFailure`. */
  readonly send: (signal: AbortSignal) => Promise<ProviderResponse>
}

/** A provider of the suite, ready for calls. */
export type Provider = {
  readonly spec: ProviderSpec
  /** What `provider_digest` is computed from. */
  readonly fingerprint: JsonObject
  /** The endpoint without credentials, stored in cache entries; null for programs. */
  readonly address: string | null
  /** Why no call can be prepared: a template of its `request` does not render. `prepare` throws it. Absent: it can. */
  readonly problem?: string
  /** Digest of the program file (exec), stored in cache entries; null if there is none. */
  readonly programDigest: () => Promise<string | null>
  /** Renders a call. Throws `ProviderFailure` of class `render_failed`, or `provider_request` where a prompt is missing. */
  readonly prepare: (input: CallInput) => PreparedCall
}

/** A call that got no response. `message` names no secret. */
export class ProviderFailure extends Error {
  override readonly name = 'ProviderFailure'
  readonly errorClass: string
  readonly retriable: boolean
  readonly retryAfterMs: number | null
  readonly details: Json | undefined
  /** Files that a program gave although it failed. */
  readonly parts: readonly CasePart[]

  constructor(
    message: string,
    about: {
      readonly errorClass: string
      readonly retriable?: boolean
      readonly retryAfterMs?: number | null
      readonly details?: Json
      readonly parts?: readonly CasePart[]
      readonly cause?: unknown
    },
  ) {
    super(message, { cause: about.cause })
    this.errorClass = about.errorClass
    this.retriable = about.retriable ?? false
    this.retryAfterMs = about.retryAfterMs ?? null
    this.details = about.details
    this.parts = about.parts ?? []
  }
}
