import { ErsError, printable } from './error.ts'

export type AnswerLimits = {
  /** The longest answer in bytes, decompressed. */
  readonly maxBytes: number
  /** How long the client waits for a body, plus 1 ms for each 16 bytes. */
  readonly patienceMs: number
}

const MIN_BYTES_PER_MS = 16
const JSON_TYPE = /^application\/(?:[\w.+-]{1,80}\+)?json$/i
const PAGE_TYPE = /^(?:text\/html|application\/xhtml\+xml)$/i

type Asked = { readonly method: string; readonly parseAs: string }

/**
 * Checks a successful response: the address may be that of a login page, a proxy, or a server that never stops. Returns
 * it with a body that was read within the limits. A stream is not read. Throws `ErsError`.
 */
export const checkedAnswer = async (response: Response, asked: Asked, limits: AnswerLimits): Promise<Response> => {
  const type = response.headers.get('content-type')?.split(';')[0]?.trim() ?? ''
  const isJson = asked.parseAs === 'json'
  if (PAGE_TYPE.test(type) || (isJson && type !== '' && !JSON_TYPE.test(type))) {
    await response.body?.cancel()
    throw wrong(response, `the answer is ${type.slice(0, 80)}${isJson ? ', not JSON' : ''}`)
  }
  if (asked.parseAs === 'stream' || response.body === null) return response
  const bytes = await wholeBody(response, limits)
  if (isJson) checkObject(response, bytes, asked.method)
  const { status, statusText, headers } = response
  // The body has been decompressed.
  const kept = new Headers(headers)
  for (const name of ['content-length', 'content-encoding']) kept.delete(name)
  return new Response(status === 204 || status === 205 ? null : bytes, { status, statusText, headers: kept })
}

/** Throws for a redirect: this service sends none. Another site must neither get the token nor give the answer. */
export const refuseRedirect = async (response: Response): Promise<void> => {
  // A browser hides the status and the target.
  const isHidden = response.type === 'opaqueredirect'
  if (!isHidden && (response.status < 300 || response.status >= 400 || response.status === 304)) return
  await response.body?.cancel()
  const target = (response.headers.get('location') ?? 'another address').slice(0, 200)
  throw new ErsError(
    response.status,
    printable(`the server answers with a redirect to ${target}; use that address`),
    response.headers.get('x-request-id'),
  )
}

const wrong = ({ status, headers }: Response, fault: string): ErsError =>
  new ErsError(status, printable(`${fault}; check the address`), headers.get('x-request-id'))

/** Every JSON answer of the service is an object. The answer to a change may have no body. */
const checkObject = (response: Response, bytes: Uint8Array, method: string): void => {
  const first = bytes.find((byte) => !isSpace(byte))
  const last = bytes.findLast((byte) => !isSpace(byte))
  if (first === undefined && bytes.length === 0 && method !== 'GET') return
  if (first !== 0x7b || last !== 0x7d) throw wrong(response, 'the answer is no JSON object')
}

const isSpace = (byte: number): boolean => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09

const wholeBody = async (
  response: Response,
  { maxBytes, patienceMs }: AnswerLimits,
): Promise<Uint8Array<ArrayBuffer>> => {
  const reader = (response.body as ReadableStream<Uint8Array>).getReader()
  const parts: Uint8Array[] = []
  let length = 0
  const began = performance.now()
  try {
    for (;;) {
      const leftMs = patienceMs + length / MIN_BYTES_PER_MS - (performance.now() - began)
      const { done, value } = await within(leftMs, reader.read(), () =>
        wrong(response, 'the answer is sent too slowly'),
      )
      if (done) break
      length += value.length
      if (length > maxBytes) throw wrong(response, `the answer is larger than ${maxBytes} bytes`)
      parts.push(value)
    }
  } catch (error) {
    reader.cancel().catch(() => undefined)
    if (error instanceof ErsError || (error instanceof Error && error.name === 'AbortError')) throw error
    throw new ErsError(0, 'the answer was interrupted', response.headers.get('x-request-id'), { cause: error })
  }
  const bytes = new Uint8Array(length)
  let at = 0
  for (const part of parts) {
    bytes.set(part, at)
    at += part.length
  }
  return bytes
}

const within = async <T>(ms: number, work: Promise<T>, late: () => Error): Promise<T> => {
  let timer: ReturnType<typeof setTimeout> | undefined
  const over = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(late()), Math.max(0, ms))
  })
  try {
    return await Promise.race([work, over])
  } finally {
    clearTimeout(timer)
    // The slower of the two may still fail.
    work.catch(() => undefined)
  }
}

const MAX_ERROR_BYTES = 64 * 1024

/** The first 64 KiB of the body of an error, which only explains the status; empty if it cannot be read. */
export const startOf = async (response: Response): Promise<string> => {
  const reader = (response.body as ReadableStream<Uint8Array> | null)?.getReader()
  const decoder = new TextDecoder()
  let text = ''
  try {
    while (reader && text.length < MAX_ERROR_BYTES) {
      const { done, value } = await within(10_000, reader.read(), () => new Error('too slow'))
      if (done) break
      text += decoder.decode(value, { stream: true })
    }
  } catch {
    // The status is the error. The body only explains it.
  }
  reader?.cancel().catch(() => undefined)
  return text.slice(0, MAX_ERROR_BYTES)
}
