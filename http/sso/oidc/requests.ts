import type { FetchBody } from 'openid-client'
import { fetchFailure } from '../fetch-failure.ts'
import { SsoRefused } from '../provider.ts'

/** Maximum size of a response of a provider after decompression, in bytes. The largest in use are key sets of about 20 KiB. */
const MAX_BODY_BYTES = 256 * 1024

/** The part of a request that the library sets. */
type RequestParts = {
  readonly method: string
  readonly headers: Record<string, string>
  readonly body: FetchBody
}

/** A response that was read to its end, so that it can be used several times. */
export type ReadResponse = {
  readonly status: number
  readonly headers: Headers
  readonly body: Uint8Array<ArrayBuffer>
}

/** The part of `fetch` that is needed. */
export type Fetch = (
  url: string,
  init: {
    readonly method: string
    readonly headers: Record<string, string>
    readonly body: URLSearchParams | null
    readonly redirect: 'manual'
    readonly signal: AbortSignal
  },
) => Promise<Response>

/** No whole response came before the deadline. */
const tooLate = (): SsoRefused => new SsoRefused('provider_error', 'the provider did not respond in time')

const boundedBody = async (response: Response): Promise<Uint8Array<ArrayBuffer>> => {
  const chunks: Uint8Array[] = []
  let length = 0
  const stream: AsyncIterable<Uint8Array> | null = response.body
  if (stream === null) return new Uint8Array()
  for await (const chunk of stream) {
    length += chunk.length
    // Leaving the loop cancels the body, which closes the connection.
    if (length > MAX_BODY_BYTES) throw new SsoRefused('provider_error', 'a response of the provider is too large')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

/**
 * Sends a request to a provider and reads the whole response, of at most 256 KiB. Redirects are not followed: a response
 * that redirects is returned as it is. Throws `SsoRefused` if there is no whole response before `signal` aborts.
 */
export const request = async (
  fetch: Fetch,
  url: string,
  { method, headers, body }: RequestParts,
  signal: AbortSignal,
): Promise<ReadResponse> => {
  try {
    // The library posts forms alone.
    const form = body instanceof URLSearchParams ? body : null
    const response = await fetch(url, { method, headers, body: form, redirect: 'manual', signal })
    return { status: response.status, headers: response.headers, body: await boundedBody(response) }
  } catch (error) {
    if (error instanceof SsoRefused) throw error
    if (signal.aborted) throw tooLate()
    throw new SsoRefused('provider_error', `the provider cannot be reached: ${fetchFailure(error)}`)
  }
}

/** The response again, for the library. `Response` accepts no body for some status codes, not even an empty one. */
export const asResponse = ({ status, headers, body }: ReadResponse): Response =>
  new Response(body.length === 0 ? null : body, { status, headers })

/** Settles like `work`, or throws `SsoRefused` when `signal` aborts. */
export const until = async <T>(signal: AbortSignal, work: Promise<T>): Promise<T> => {
  const { promise: aborted, reject } = Promise.withResolvers<never>()
  const stop = (): void => reject(tooLate())
  if (signal.aborted) stop()
  else signal.addEventListener('abort', stop, { once: true })
  try {
    return await Promise.race([work, aborted])
  } finally {
    signal.removeEventListener('abort', stop)
  }
}
