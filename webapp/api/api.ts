import { isDotName, NO_ADDRESS } from '../text/dot-names.ts'

// The one way to the server. Types of what it answers are those of `queries/`, imported as types.

/** The server said no, or did not answer: `status` is 0 then. `requestId` finds the request in the server's log. */
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

let leave = (): void => {}

/** Sets what happens when the server no longer knows who asks. */
export const onUnauthenticated = (then: () => void): void => {
  leave = then
}

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
type Sent = {
  readonly body?: unknown
  readonly file?: { readonly blob: Blob; readonly encoding: 'gzip' | null }
  readonly signal?: AbortSignal | undefined
}

/**
 * Sends to `/api/v1` + path and gives what was answered as it is, still to be read. Throws: ApiError; AbortError once
 * the signal aborts.
 */
const send = async (method: Method, path: string, { body, file, signal }: Sent): Promise<Response> => {
  const init: RequestInit = { method, credentials: 'same-origin', signal: signal ?? null }
  if (body !== undefined)
    Object.assign(init, { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) })
  if (file)
    Object.assign(init, {
      headers: { 'content-type': 'application/json', ...(file.encoding ? { 'content-encoding': file.encoding } : {}) },
      body: file.blob,
    })
  const response = await fetch(`/api/v1${path}`, init).catch((cause: unknown) => {
    if (signal?.aborted) throw cause
    throw new ApiError(0, 'the server could not be reached', null, { cause })
  })
  if (response.ok) return response
  const error = new ApiError(response.status, await messageOf(response), response.headers.get('x-request-id'))
  if (error.status === 401) leave()
  throw error
}

const messageOf = async (response: Response): Promise<string> => {
  const told: unknown = await response.json().catch(() => null)
  return typeof told === 'object' && told !== null && 'error' in told
    ? String(told.error)
    : `the server answered ${response.status}`
}

/**
 * Reads a JSON answer. The server's own specs hold it to the schemas that T is inferred from, so it is not checked
 * again here.
 */
const json = async <T>(method: Method, path: string, sent: Sent): Promise<T> => {
  const response = await send(method, path, sent)
  return (response.status === 204 ? undefined : await response.json()) as T
}

/** The beginning of a text, and whether that is all of it. */
export type Beginning = { readonly text: string; readonly isWhole: boolean }

const beginningOf = async ({ body }: Response, most: number): Promise<Beginning> => {
  if (!body) return { text: '', isWhole: true }
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let [text, read] = ['', 0]
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return { text: text + decoder.decode(), isWhole: true }
    const taken = value.subarray(0, most - read)
    read += value.length
    text += decoder.decode(taken, { stream: true })
    if (read <= most) continue
    await reader.cancel()
    return { text, isWhole: false }
  }
}

/** Requests below `/api/v1`, as whoever is signed in. Each throws ApiError, or AbortError once its signal aborts. */
export const api = {
  get: <T>(path: string, signal?: AbortSignal): Promise<T> => json<T>('GET', path, { signal }),
  post: <T>(path: string, body?: unknown, signal?: AbortSignal): Promise<T> => json<T>('POST', path, { body, signal }),
  put: <T>(path: string, body?: unknown): Promise<T> => json<T>('PUT', path, { body }),
  patch: <T>(path: string, body?: unknown): Promise<T> => json<T>('PATCH', path, { body }),
  delete: <T>(path: string): Promise<T> => json<T>('DELETE', path, {}),
  /** Sends a file with JSON in it as it is, which may be compressed. */
  upload: <T>(path: string, blob: Blob, encoding: 'gzip' | null): Promise<T> =>
    json<T>('POST', path, { file: { blob, encoding } }),
  /** An answer that is no JSON, or is wanted as it was written. */
  text: (path: string, signal?: AbortSignal): Promise<string> =>
    send('GET', path, { signal }).then((response) => response.text()),
  /** The first `most` bytes of an answer that may be large; the rest is not fetched. */
  beginning: (path: string, most: number, signal?: AbortSignal): Promise<Beginning> =>
    send('GET', path, { signal }).then((response) => beginningOf(response, most)),
}

type Value = string | number | boolean | null | undefined

/**
 * A path below `/api/v1` from parts as they are, slashes included: `pathTo('runs', id, 'cases')`. Throws ApiError for
 * `.` and `..`, which would ask for something else.
 */
export const pathTo = (...parts: readonly string[]): string => {
  if (parts.some(isDotName)) throw new ApiError(404, NO_ADDRESS, null)
  return `/${parts.map(encodeURIComponent).join('/')}`
}

/**
 * `?a=1&b=2` of what is set; nothing of what is not, an empty text included. A list gives its name once for each value.
 */
export const queryOf = (values: Readonly<Record<string, Value | readonly string[]>>): string => {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(values)) {
    for (const each of Array.isArray(value) ? (value as readonly string[]) : [value as Value]) {
      if (each !== undefined && each !== null && each !== '') query.append(name, String(each))
    }
  }
  return query.size === 0 ? '' : `?${query}`
}
