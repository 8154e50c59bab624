import type { Json, JsonObject } from '../json.ts'
import type { EmbeddingsProvider } from '../suite/suite.ts'
import { ProviderFailure, type Provider, type Usage } from './provider.ts'
import { asArray, asNumber, asObject, asString, present } from './read-json.ts'
import { FAMILIES } from './vendor/families.ts'
import { openaiUsage } from './vendor/openai.ts'
import { canonicalVendorCall } from './vendor/provider.ts'
import { createVendorEndpoint, type VendorEndpointOptions } from './vendor/transport.ts'
import { HttpStatusFailure } from './wire/exchange.ts'

/** What an embeddings API returned: `raw` is the whole response, from which a cache entry is read again. */
export type Embedding = {
  readonly vector: readonly number[]
  readonly usage?: Usage
  readonly model?: string
  readonly raw: Json
}

/** The calls of an embeddings provider: one attempt each. */
export type Embedder = {
  readonly spec: EmbeddingsProvider
  readonly prepare: (text: string) => {
    /** The canonical request, which is hashed for the cache key. */
    readonly canonical: JsonObject
    /**
     * Throws `ProviderFailure` of class `grader_missing` (a rejected request, or no credential), `grader_unavailable`
     * or, for a response without a vector, `grader_failed`; or the reason of the signal.
     */
    readonly send: (signal: AbortSignal) => Promise<Embedding>
  }
}

type EmbedderOptions = Omit<VendorEndpointOptions, 'family' | 'spec' | 'timeoutMs'>

/** Throws `ProviderFailure` of class `grader_missing` if a template of `request` does not render. */
export const createEmbedder = (spec: EmbeddingsProvider, options: EmbedderOptions): Embedder => {
  const endpoint = graded(() => createVendorEndpoint({ ...options, family: 'embeddings', spec }))
  return {
    spec,
    prepare: (text) => {
      const call = endpoint.prepare({ ...spec.params, model: spec.model, input: text })
      return {
        canonical: canonicalVendorCall(call),
        send: async (signal) => {
          const { payload } = await call.send(signal).catch((error: unknown) => {
            throw asGraderFailure(error)
          })
          return readEmbedding(payload)
        },
      }
    },
  }
}

/** Reads a response of an embeddings API. Throws `ProviderFailure` of class `grader_failed` if it has no vector. */
export const readEmbedding = (payload: Json): Embedding => {
  const answer = asObject(payload)
  const embedding = asObject(asArray(answer?.['data'])[0])?.['embedding']
  const vector = asArray(embedding).map(asNumber)
  if (!Array.isArray(embedding) || !vector.every((number) => number !== undefined))
    throw new ProviderFailure('the response has no list of numbers in `data[0].embedding`', {
      errorClass: 'grader_failed',
    })
  return present<Embedding>({
    vector,
    usage: openaiUsage(asObject(answer?.['usage'])),
    model: asString(answer?.['model']),
    raw: payload,
  })
}

/** An embeddings provider among the providers of a suite: it forms no cells and answers no prompts. */
export const embeddingsAsProvider = (spec: EmbeddingsProvider): Provider => ({
  spec,
  fingerprint: {
    type: spec.type,
    model: spec.model,
    base_url: spec.base_url ?? FAMILIES.embeddings.address,
    params: spec.params,
  },
  address: null,
  programDigest: () => Promise.resolve(null),
  prepare: () => {
    throw new ProviderFailure('an embeddings provider answers no prompts: it serves `similar` assertions', {
      errorClass: 'provider_request',
    })
  },
})

const graded = <T>(create: () => T): T => {
  try {
    return create()
  } catch (error) {
    throw asGraderFailure(error)
  }
}

const asGraderFailure = (error: unknown): unknown => {
  if (!(error instanceof ProviderFailure)) return error
  return new ProviderFailure(error.message, { errorClass: graderClassOf(error), cause: error })
}

const graderClassOf = (error: ProviderFailure): string => {
  if (error instanceof HttpStatusFailure)
    return error.status >= 400 && error.status < 500 && error.status !== 408 && error.status !== 429
      ? 'grader_missing'
      : 'grader_unavailable'
  // Nothing is configured, what is configured is wrong, or the body of a response says that it is.
  if (['render_failed', 'provider_request', 'provider_auth'].includes(error.errorClass)) return 'grader_missing'
  return error.errorClass === 'provider_protocol' ? 'grader_failed' : 'grader_unavailable'
}
