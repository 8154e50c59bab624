import { isDotName, NO_ADDRESS } from '../text/dot-names.ts'
import { request } from './request.ts'

// This module makes all requests to the server, but for uploads (`upload.ts`). Response types are those of `queries/`, imported as types.

/** An error response, or no response (`status` is 0). `requestId` identifies the request in the server's log. */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  readonly status: number
  readonly requestId: string | null

  constructor(status: number, message: string, requestId: string | null, options?: ErrorOptions) {
    super(message, options)
    this.status = status
    this.requestId = requestId
  }
}

let handleUnauthenticated = (): void => {}

/** Sets the function that runs when the server answers 401: the user is not signed in, or no longer signed in. */
export const onUnauthenticated = (handler: () => void): void => {
  handleUnauthenticated = handler
}

/** Runs the handler of a 401. Only for requests that are not sent by this module. */
export const reportUnauthenticated = (): void => handleUnauthenticated()

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
type SendOptions = {
  readonly body?: unknown
  readonly signal?: AbortSignal | undefined
  /** A 401 may also mean that a password in the body is wrong, and the caller shows it. */
  readonly checksPassword?: true
}

/**
 * Sends a request to `/api/v1` + path and returns the response with its body unread. Throws: ApiError; AbortError if
 * the signal aborts.
 */
const send = async (method: Method, path: string, { body, signal, checksPassword }: SendOptions): Promise<Response> => {
  const init: RequestInit = { method, credentials: 'same-origin', signal: signal ?? null }
  if (body !== undefined)
    Object.assign(init, { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) })
  const response = await request(path, init).catch((cause: unknown) => {
    if (signal?.aborted) throw cause
    throw new ApiError(0, 'the server could not be reached', null, { cause })
  })
  if (response.ok) return response
  const error = new ApiError(response.status, await errorMessage(response), response.headers.get('x-request-id'))
  if (error.status === 401 && !checksPassword) handleUnauthenticated()
  throw error
}

const errorMessage = async (response: Response): Promise<string> => {
  const body: unknown = await response.json().catch(() => null)
  return typeof body === 'object' && body !== null && 'error' in body
    ? String(body.error)
    : `the server answered ${response.status}`
}

/**
 * Reads a JSON response. The server's specs check responses against the schemas that T is inferred from, so it is not
 * validated again here.
 */
const json = async <T>(method: Method, path: string, options: SendOptions): Promise<T> => {
  const response = await send(method, path, options)
  return (response.status === 204 ? undefined : await response.json()) as T
}

/** The beginning of a text, and whether it is the whole text. */
export type Beginning = { readonly text: string; readonly isWhole: boolean }

const beginningOf = async ({ body }: Response, maxBytes: number): Promise<Beginning> => {
  if (!body) return { text: '', isWhole: true }
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let [text, readBytes] = ['', 0]
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return { text: text + decoder.decode(), isWhole: true }
    const part = value.subarray(0, maxBytes - readBytes)
    readBytes += value.length
    text += decoder.decode(part, { stream: true })
    if (readBytes <= maxBytes) continue
    await reader.cancel()
    return { text, isWhole: false }
  }
}

/** Requests below `/api/v1`, with the user's session. Each throws ApiError, or AbortError if its signal aborts. */
export const api = {
  get: <T>(path: string, signal?: AbortSignal): Promise<T> => json<T>('GET', path, { signal }),
  post: <T>(path: string, body?: unknown, signal?: AbortSignal): Promise<T> => json<T>('POST', path, { body, signal }),
  /** Sends the current password with a request. If it is wrong, the session goes on, and the error is thrown. */
  postWithPassword: <T>(path: string, body: unknown): Promise<T> =>
    json<T>('POST', path, { body, checksPassword: true }),
  put: <T>(path: string, body?: unknown): Promise<T> => json<T>('PUT', path, { body }),
  patch: <T>(path: string, body?: unknown): Promise<T> => json<T>('PATCH', path, { body }),
  delete: <T>(path: string): Promise<T> => json<T>('DELETE', path, {}),
  /** The body of a response as text, exactly as the server wrote it. */
  text: (path: string, signal?: AbortSignal): Promise<string> =>
    send('GET', path, { signal }).then((response) => response.text()),
  /** A response whose body is not read yet. */
  stream: (path: string, signal: AbortSignal): Promise<Response> => send('GET', path, { signal }),
  /** The first `maxBytes` bytes of a response that may be large; the rest is not fetched. */
  beginning: (path: string, maxBytes: number, signal?: AbortSignal): Promise<Beginning> =>
    send('GET', path, { signal }).then((response) => beginningOf(response, maxBytes)),
}

type Value = string | number | boolean | null | undefined

/**
 * A path below `/api/v1` from unescaped parts, which may contain slashes: `pathTo('runs', id, 'cases')`. Throws
 * ApiError for `.` and `..`, because browsers drop them and would request another path.
 */
export const pathTo = (...parts: readonly string[]): string => {
  if (parts.some(isDotName)) throw new ApiError(404, NO_ADDRESS, null)
  return `/${parts.map(encodeURIComponent).join('/')}`
}

/**
 * `?a=1&b=2` from the values that are set. Leaves out null, undefined and empty texts. A list repeats its name for each
 * value, and keeps empty ones.
 */
export const queryOf = (values: Readonly<Record<string, Value | readonly string[]>>): string => {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(values)) {
    for (const item of value === '' ? [] : [value].flat()) {
      if (item !== undefined && item !== null) query.append(name, String(item))
    }
  }
  return query.size === 0 ? '' : `?${query}`
}
