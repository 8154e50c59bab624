import type { spawn } from 'node:child_process'

/**
 * What the engine uses of its surroundings: passed in, so that the same suite and the same answers give the same
 * document in a spec.
 */
export type Ports = {
  /** Sends the requests of providers and judges. */
  readonly http: HttpFetch
  /** Sends the requests of shared caches. */
  readonly fetch: typeof fetch
  readonly spawn: typeof spawn
  /** The wall clock: milliseconds since 1970. */
  readonly now: () => number
  /** A clock that only goes forward: milliseconds from any origin. Durations are measured with it. */
  readonly monotonic: () => number
  /** A number from 0 up to, but not including, 1. */
  readonly random: () => number
  /** Resolves after `ms` milliseconds, or rejects with the reason of the signal. */
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>
  /** The environment of the command. A variable that is not set is absent. */
  readonly env: Readonly<Record<string, string | undefined>>
}

/** Sends one HTTP request; a redirect is a response. The global `fetch` is one too. */
export type HttpFetch = (
  url: URL,
  init: {
    readonly method: string
    readonly headers: Array<[name: string, value: string]>
    readonly body: string | Uint8Array<ArrayBuffer> | null
    readonly redirect: 'manual'
    readonly signal: AbortSignal
  },
) => Promise<HttpResponse>

/** What the engine reads of a response. */
export type HttpResponse = {
  readonly status: number
  readonly ok: boolean
  readonly headers: { readonly get: (name: string) => string | null } & Iterable<[name: string, value: string]>
  readonly body: (AsyncIterable<Uint8Array> & { readonly cancel: () => Promise<void> }) | null
}
