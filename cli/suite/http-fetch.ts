import { STATUS_CODES } from 'node:http'
import type { HttpFetch, HttpResponse } from '../../engine/ports.ts'

/**
 * `fetch` over a client of requests, so that shared caches and the service are reached as providers are: through the
 * same proxy. Redirects are always returned, not followed. A request body is read into memory.
 */
export const fetchOver =
  (http: HttpFetch): typeof fetch =>
  async (input, init) => {
    const request = new Request(input, init)
    // oxlint-disable-next-line ers/no-whole-body -- a request of our own
    const body = request.body === null ? null : new Uint8Array(await request.arrayBuffer())
    const { method, signal } = request
    const response = await http(new URL(request.url), {
      method,
      headers: [...request.headers],
      body,
      redirect: 'manual',
      signal,
    })
    const { status } = response
    const about = { status, statusText: STATUS_CODES[status] ?? '', headers: [...response.headers] }
    if (response.body !== null && !BODILESS.has(status)) return new Response(asStream(response.body), about)
    await response.body?.cancel()
    return new Response(null, about)
  }

/** For these, `Response` takes no body. */
const BODILESS: ReadonlySet<number> = new Set([204, 205, 304])

const asStream = (body: NonNullable<HttpResponse['body']>): ReadableStream<Uint8Array> => {
  const chunks = body[Symbol.asyncIterator]()
  return new ReadableStream({
    pull: async (controller) => {
      const chunk = await chunks.next()
      if (chunk.done === true) controller.close()
      else controller.enqueue(chunk.value)
    },
    // `ReadableStream.from` ends the iteration instead. One that has not begun leaves the connection open, and the
    // program waits for it.
    cancel: () => body.cancel(),
  })
}
