import { CacheUnavailable, MAX_ENTRY_BYTES, type CacheClient } from './client.ts'
import { BodyRefused, dropBody, readBody, readReason } from '../http/read-body.ts'
import { assertCacheKey } from '../../domain/cache/key.ts'
import { causeText } from '../../domain/plain/cause-text.ts'

type HttpResponse = Pick<Response, 'status' | 'body'> & { readonly headers: Pick<Headers, 'get'> }

/** The part of `fetch` that is needed. */
export type CacheFetch = (
  url: string,
  init: {
    method: 'GET' | 'PUT'
    headers: Record<string, string>
    redirect: 'manual'
    body?: Uint8Array<ArrayBuffer>
    signal?: AbortSignal
  },
) => Promise<HttpResponse>

export type HttpCacheOptions = {
  /** The base URL of the service, without `/api/v1`. */
  readonly url: string
  readonly token: string | undefined
  readonly fetch: CacheFetch
}

/** The cache of a service over HTTP. */
export const httpCacheClient = ({ url, token, fetch }: HttpCacheOptions): CacheClient => {
  const base = `${url.replace(/(?<!\/)\/+$/, '')}/api/v1/cache`
  const credential: Record<string, string> = token ? { authorization: `Bearer ${token}` } : {}

  const request = async <T>(
    key: string,
    { body, signal }: { body?: Uint8Array; signal?: AbortSignal | undefined },
    read: (response: HttpResponse) => Promise<T> | T,
  ): Promise<T> => {
    assertCacheKey(key)
    try {
      const response = await fetch(`${base}/${key}`, {
        method: body === undefined ? 'GET' : 'PUT',
        headers: { ...credential, ...(body === undefined ? {} : { 'content-type': 'application/octet-stream' }) },
        // The service never redirects, and a redirected PUT would become a GET.
        redirect: 'manual',
        ...(body === undefined ? {} : { body: Uint8Array.from(body) }),
        ...(signal === undefined ? {} : { signal }),
      })
      return await read(response)
    } catch (error) {
      if (error instanceof CacheUnavailable || signal?.aborted) throw error
      throw new CacheUnavailable(`the cache at ${url} cannot be reached: ${causeText(error)}`, { cause: error })
    }
  }
  const rejection = async (response: HttpResponse): Promise<CacheUnavailable> => {
    const target = response.status >= 300 && response.status < 400 ? response.headers.get('location') : null
    const reason = await readReason(response)
    return new CacheUnavailable(
      `the cache at ${url} answers ${response.status}: ${target === null ? errorTextOf(reason) : `a redirect to ${target.slice(0, 200)}`}`,
    )
  }

  return {
    get: (key, signal) =>
      request(key, { signal }, async (response) => {
        if (response.status === 200) return readEntryBody(response, url)
        if (response.status !== 404) throw await rejection(response)
        // Read to the end, so that the connection can be reused.
        await readReason(response)
        return null
      }),
    put: (key, bytes, signal) =>
      request(key, { body: bytes, signal }, async (response) => {
        if (response.status !== 200 && response.status !== 201) throw await rejection(response)
        // The service answers with the status alone.
        if ((await readReason(response)) !== '' || response.headers.get('content-type') !== null) throw notCache(url)
        return response.status === 201
      }),
  }
}

/**
 * The bytes of a stored entry. Throws `CacheUnavailable` if they are more than an entry has, or of another type:
 * a login page is no entry.
 */
const readEntryBody = async (response: HttpResponse, url: string): Promise<Uint8Array> => {
  const type = response.headers.get('content-type') ?? ''
  if (type !== '' && !/^application\/octet-stream\b/i.test(type)) {
    await dropBody(response)
    throw notCache(url)
  }
  try {
    const { buffer, byteOffset, length } = await readBody(response, { maxBytes: MAX_ENTRY_BYTES })
    return new Uint8Array(buffer, byteOffset, length)
  } catch (error) {
    if (error instanceof BodyRefused)
      throw new CacheUnavailable(`the cache at ${url} ${error.message}`, { cause: error })
    throw error
  }
}

const notCache = (url: string): CacheUnavailable =>
  new CacheUnavailable(`${url} does not answer like the cache of an evaluation results service; check the address`)

/** The error that a response reports. A proxy may respond in a format of its own. */
const errorTextOf = (text: string): string => {
  try {
    const { error } = JSON.parse(text) as { error?: unknown }
    if (typeof error === 'string') return error
  } catch {
    // Not JSON: use the text below.
  }
  const isPage = text.trimStart().startsWith('<')
  return (isPage ? '' : text.trim().split('\n')[0]?.slice(0, 200)) || 'no reason given'
}
