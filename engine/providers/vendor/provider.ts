import type { JsonObject } from '../../json.ts'
import { ProviderFailure, type CallInput, type PreparedCall, type Provider } from '../provider.ts'
import type { VendorProvider } from '../../suite/suite.ts'
import { messagesBody, readMessages } from './anthropic.ts'
import { FAMILIES } from './families.ts'
import { chatBody, readChat } from './openai.ts'
import { createVendorEndpoint, type VendorCall, type VendorEndpoint, type VendorEndpointOptions } from './transport.ts'

/** A provider that speaks the messages API or the chat completions API. */
export const createVendorProvider = (
  spec: VendorProvider,
  options: Omit<VendorEndpointOptions, 'family' | 'spec' | 'timeoutMs'>,
): Provider => {
  const { bodyOf, read } =
    spec.type === 'anthropic' ? { bodyOf: messagesBody, read: readMessages } : { bodyOf: chatBody, read: readChat }
  const built = build(() => createVendorEndpoint({ ...options, family: spec.type, spec }))
  const endpoint = (): VendorEndpoint => {
    if (built instanceof ProviderFailure) throw built
    return built
  }
  return {
    spec,
    fingerprint: {
      type: spec.type,
      model: spec.model,
      base_url: spec.base_url ?? FAMILIES[spec.type].address,
      params: spec.params,
    },
    address: built instanceof ProviderFailure ? null : built.address,
    ...(built instanceof ProviderFailure ? { problem: built.message } : {}),
    programDigest: () => Promise.resolve(null),
    prepare: (input: CallInput): PreparedCall => {
      const call = endpoint().prepare(bodyOf(spec, input))
      return {
        preview: call.preview,
        canonical: canonicalVendorCall(call, { headers: FAMILIES[spec.type].headers, digest: call.headersDigest }),
        send: async (signal) => read((await call.send(signal)).payload),
      }
    },
  }
}

/**
 * The canonical request of a vendor call. Those of judges and embeddings have neither `headers`
 * nor `headers_digest`.
 */
export const canonicalVendorCall = (
  { path, body }: Pick<VendorCall, 'path' | 'body'>,
  { headers, digest }: { readonly headers: Readonly<Record<string, string>>; readonly digest: string | null } = {
    headers: {},
    digest: null,
  },
): JsonObject => ({
  transport: 'http',
  method: 'POST',
  path,
  body,
  ...(Object.keys(headers).length === 0 ? {} : { headers }),
  ...(digest === null ? {} : { headers_digest: digest }),
})

/** A provider that cannot be built fails when it is called: it may be a fallback that no cell needs. */
const build = <T>(create: () => T): T | ProviderFailure => {
  try {
    return create()
  } catch (error) {
    if (error instanceof ProviderFailure) return error
    throw error
  }
}
