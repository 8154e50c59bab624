import type { HttpResponse, Ports } from '../../ports.ts'
import { ProviderFailure } from '../provider.ts'
import type { Redactor } from '../redactor.ts'
import { DeadlineExceeded, withDeadline } from './deadline.ts'
import { retryAfterMs } from './retry-after.ts'

/** A larger response is refused: it would not fit a run document either. */
const MAX_RESPONSE_BYTES = 64 * 1024 * 1024
const MAX_ERROR_BYTES = 64 * 1024
const MAX_QUOTED_CHARACTERS = 500
const MAX_REDIRECTS = 10

export type WirePorts = Pick<Ports, 'http' | 'sleep' | 'now'>

/** One HTTP request as it is sent. */
export type WireRequest = {
  readonly method: string
  readonly url: string
  readonly headers: ReadonlyArray<readonly [name: string, value: string]>
  readonly body: string | null
  readonly timeoutMs: number
  readonly redactor: Redactor
}

/**
 * A response of status 2xx. Names of headers are in lower case; bytes that are no text in its charset became U+FFFD. The text of a picture, a
 * sound or a film is its data URL.
 */
export type WireResponse = {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
}

/** A response of another status than 2xx. */
export class HttpStatusFailure extends ProviderFailure {
  readonly status: number

  constructor(status: number, message: string, about: ConstructorParameters<typeof ProviderFailure>[1]) {
    super(message, about)
    this.status = status
  }
}

/**
 * Sends a request and reads the whole response within the timeout, redirects included. Throws `ProviderFailure` with the
 * class and the retriability of its fault, or the reason of the signal where that is aborted.
 */
export const exchange = async (ports: WirePorts, request: WireRequest, signal: AbortSignal): Promise<WireResponse> => {
  try {
    return await withDeadline(ports.sleep, request.timeoutMs, signal, async (callSignal) => {
      const response = await follow(ports.http, request, callSignal)
      if (!response.ok) throw await statusFailure(ports, request.redactor, response)
      const bytes = await readBytes(response, MAX_RESPONSE_BYTES)
      const text = mediaUrl(bytes, response) ?? decode(bytes, response)
      return { status: response.status, headers: Object.fromEntries(response.headers), text }
    })
  } catch (error) {
    if (error instanceof ProviderFailure || signal.aborted) throw error
    if (error instanceof DeadlineExceeded)
      throw new ProviderFailure(error.message, { errorClass: 'provider_timeout', retriable: true, cause: error })
    throw transportFailure(error, request.redactor)
  }
}

/**
 * Follows redirects as fetch does, except that no header of the request reaches another origin: fetch itself would send
 * `x-api-key` there.
 */
const follow = async (http: Ports['http'], request: WireRequest, signal: AbortSignal): Promise<HttpResponse> => {
  let url = parseUrl(request.url)
  let { method, body } = request
  let headers = checkedHeaders(request)
  for (let redirects = 0; ; redirects++) {
    const response = await http(url, { method, headers, body, redirect: 'manual', signal })
    const location = isRedirect(response.status) ? response.headers.get('location') : null
    if (location === null) return response
    await response.body?.cancel()
    if (redirects === MAX_REDIRECTS || !URL.canParse(location, url))
      throw protocolFailure(
        redirects === MAX_REDIRECTS ? `more than ${MAX_REDIRECTS} redirects` : `redirect to an invalid address`,
      )
    const target = new URL(location, url)
    const problem = addressProblem(target)
    // Without the address: it may hold a credential.
    if (problem !== null) throw protocolFailure(`redirect refused: the address ${problem}`)
    if ((response.status <= 302 && method === 'POST') || (response.status === 303 && method !== 'HEAD')) {
      method = 'GET'
      body = null
      headers = headers.filter(([name]) => name.toLowerCase() !== 'content-type')
    }
    if (target.origin !== url.origin) headers = headers.filter(([name]) => name.toLowerCase() === 'content-type')
    url = target
  }
}

const isRedirect = (status: number): boolean => [301, 302, 303, 307, 308].includes(status)

const parseUrl = (text: string): URL => {
  const url = URL.canParse(text) ? new URL(text) : null
  const problem = addressProblem(url)
  if (url === null || problem !== null)
    throw new ProviderFailure(`the address of the request ${problem}`, { errorClass: 'provider_request' })
  return url
}

/** Why no request goes to an address; null: it may. */
const addressProblem = (url: URL | null): string | null => {
  if (url === null || !['http:', 'https:'].includes(url.protocol)) return 'is not a URL of http or https'
  return url.username !== '' || url.password !== ''
    ? 'names a user or a password: declare an `authorization` header instead'
    : null
}

/**
 * Headers as the client takes them: a character for each byte of UTF-8, and none that delimits the body. Its own messages
 * about a header quote the value, so bad headers are found before.
 */
const checkedHeaders = ({ headers, body }: WireRequest): Array<[string, string]> => {
  const length = String(Buffer.byteLength(body ?? ''))
  return headers.flatMap(([name, value]): Array<[string, string]> => {
    const trimmed = Buffer.from(value.trim()).toString('latin1')
    if (!/^[\w!#$%&'*+.^`|~-]+$/.test(name) || !/^[\t\x20-\x7e\x80-\xff]*$/.test(trimmed))
      throw new ProviderFailure(`header \`${name}\`: the name or the value has characters that HTTP does not allow`, {
        errorClass: 'provider_request',
      })
    const lowerName = name.toLowerCase()
    if (lowerName !== 'content-length' && lowerName !== 'transfer-encoding') return [[name, trimmed]]
    if (lowerName === 'content-length' && trimmed === length) return []
    throw new ProviderFailure(
      `header \`${name}\`: the body is sent with a length of its own, ${length} bytes: remove this header`,
      { errorClass: 'provider_request' },
    )
  })
}

const statusFailure = async (
  ports: Pick<Ports, 'now'>,
  redactor: Redactor,
  response: HttpResponse,
): Promise<HttpStatusFailure> => {
  const { status } = response
  const { errorClass, retriable } = statusClass(status)
  const body = withoutSecrets(decode(await readStart(response, MAX_ERROR_BYTES), response), redactor).trim()
  // Redacted before the cut: a half secret would not be recognised.
  const quoted = quotedBody(body)
  return new HttpStatusFailure(status, quoted === '' ? `HTTP ${status}` : `HTTP ${status}: ${quoted}`, {
    errorClass,
    retriable,
    retryAfterMs: retriable ? retryAfterMs(response.headers.get('retry-after'), ports.now()) : null,
  })
}

/** As much of the body of an error as a message quotes. */
export const quotedBody = (body: string): string =>
  Array.from(body.slice(0, 2 * MAX_QUOTED_CHARACTERS))
    .slice(0, MAX_QUOTED_CHARACTERS)
    .join('')

/** Removes secrets from a text, also where the escapes of JSON hide them. JSON may be cut, so it is not parsed. */
const withoutSecrets = (text: string, redactor: Redactor): string => {
  const unescaped = text.replace(JSON_ESCAPE, (escape) => JSON.parse(`"${escape}"`) as string)
  const clean = redactor.text(unescaped)
  return clean === unescaped ? redactor.text(text) : clean
}

/** An escape in a JSON string (RFC 8259, section 7). */
const JSON_ESCAPE = /\\(?:u[\da-f]{4}|["\\/bfnrt])/gi

/** The class of an error of this status, and whether another attempt may help. */
export const statusClass = (status: number): { readonly errorClass: string; readonly retriable: boolean } => {
  if (status === 429) return { errorClass: 'provider_rate_limit', retriable: true }
  if (status >= 500) return { errorClass: 'provider_unavailable', retriable: true }
  if (status === 401 || status === 403) return { errorClass: 'provider_auth', retriable: false }
  return { errorClass: status >= 400 ? 'provider_request' : 'provider_protocol', retriable: false }
}

/** Throws if the body is longer than `max` bytes. */
const readBytes = async (response: HttpResponse, max: number): Promise<Buffer> => {
  const chunks: Uint8Array[] = []
  let length = 0
  try {
    for await (const chunk of response.body ?? []) {
      length += chunk.length
      if (length > max) throw protocolFailure(`the response is longer than ${max / 1024 / 1024} MiB`)
      chunks.push(chunk)
    }
  } catch (error) {
    throw error instanceof ProviderFailure ? error : new CutBody(error)
  }
  return Buffer.concat(chunks)
}

/** The first bytes of a body, or what arrived of them before the connection was cut. */
const readStart = async (response: HttpResponse, max: number): Promise<Buffer> => {
  const chunks: Uint8Array[] = []
  let length = 0
  try {
    for await (const chunk of response.body ?? []) {
      chunks.push(chunk)
      length += chunk.length
      if (length >= max) break
    }
  } catch {
    // The status says more than the fault of a body that only explains it, a deadline included.
  }
  return Buffer.concat(chunks).subarray(0, max)
}

class CutBody extends Error {
  constructor(cause: unknown) {
    super('the body of the response is incomplete', { cause })
  }
}

/** The data URL of bytes that are a picture, a sound or a film by their `content-type`; null for all else. An SVG is text. */
const mediaUrl = (bytes: Buffer, { headers }: HttpResponse): string | null => {
  const type = /^(?:image|audio|video)\/[\w.+-]{1,60}/i.exec(headers.get('content-type') ?? '')?.[0].toLowerCase()
  return type === undefined || type.endsWith('+xml') ? null : `data:${type};base64,${bytes.toString('base64')}`
}

/** The bytes as text: by their byte order mark, else in the charset of `content-type`, else in UTF-8 (WHATWG Encoding, 6). */
const decode = (bytes: Buffer, { headers }: HttpResponse): string =>
  decoderOf(markedCharset(bytes) ?? declaredCharset(headers.get('content-type'))).decode(bytes)

const MARKS: ReadonlyArray<readonly [mark: readonly number[], charset: string]> = [
  [[0xef, 0xbb, 0xbf], 'utf-8'],
  [[0xfe, 0xff], 'utf-16be'],
  [[0xff, 0xfe], 'utf-16le'],
]

const markedCharset = (bytes: Buffer): string | undefined =>
  MARKS.find(([mark]) => mark.every((byte, index) => bytes[index] === byte))?.[1]

const declaredCharset = (contentType: string | null): string => {
  const [, quoted, plain] = /;\s*charset\s*=\s*(?:"([^"]*)"|([^;\s]+))/i.exec(contentType ?? '') ?? []
  return quoted ?? plain ?? 'utf-8'
}

const decoderOf = (charset: string): TextDecoder => {
  try {
    return new TextDecoder(charset)
  } catch (error) {
    // A charset that does not exist.
    if (error instanceof RangeError) return new TextDecoder('utf-8')
    throw error
  }
}

const transportFailure = (error: unknown, redactor: Redactor): ProviderFailure => {
  const message = redactor.text(describe(error))
  if (error instanceof CutBody || isNoHttp(error)) return protocolFailure(message, error)
  // Node refuses a `host` of another server in a request to a proxy, before it sends anything.
  if (networkCode(error) === 'ERR_INVALID_ARG_VALUE')
    return new ProviderFailure(`the request cannot be sent: ${message}`, {
      errorClass: 'provider_request',
      cause: error,
    })
  return new ProviderFailure(`the request failed: ${message}`, {
    errorClass: 'provider_timeout',
    retriable: true,
    cause: error,
  })
}

/** Whether fetch received bytes that are no HTTP response. It wraps the fault in a TypeError, without a code. */
const isNoHttp = (error: unknown): boolean =>
  error instanceof Error &&
  (error.name === 'HTTPParserError' ||
    /^HPE_/.test(networkCode(error) ?? '') ||
    networkCode(error) === 'UND_ERR_HEADERS_OVERFLOW' ||
    isNoHttp(error.cause))

const protocolFailure = (message: string, cause?: unknown): ProviderFailure =>
  new ProviderFailure(message, { errorClass: 'provider_protocol', cause })

/** The code of the innermost cause that has one. fetch wraps the fault of the connection in a TypeError. */
const networkCode = (error: unknown): string => {
  if (!(error instanceof Error)) return ''
  const inner = networkCode(error.cause)
  if (inner !== '') return inner
  return 'code' in error && typeof error.code === 'string' ? error.code : ''
}

const describe = (error: unknown): string => {
  const messages: string[] = []
  for (let at = error; at instanceof Error && messages.length < 3; at = at.cause)
    messages.push(at.message || networkCode(at) || at.name)
  return messages.join(': ')
}
