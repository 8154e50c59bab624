import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

/** A request to a stand-in of a service. */
export type StandInRequest = {
  readonly method: string
  /** Without the query. */
  readonly path: string
  readonly query: URLSearchParams
  /** The parsed body; null without one. */
  readonly body: Readonly<Record<string, unknown>> | null
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
}

/** An answer: JSON, a text as it is, or an end of the connection. */
export type StandInAnswer =
  | { readonly status?: number; readonly headers?: Readonly<Record<string, string>>; readonly json: unknown }
  | { readonly status?: number; readonly headers?: Readonly<Record<string, string>>; readonly text: string }
  | 'cut'

export type StandIn = AsyncDisposable & {
  readonly url: string
  /** The requests so far. */
  readonly requests: readonly StandInRequest[]
  /** The largest number of requests that were answered at once. */
  readonly mostAtOnce: () => number
}

/** Starts a service on a loopback address that answers every request with `answer`. */
export const startStandIn = async (
  answer: (request: StandInRequest, count: number) => StandInAnswer | Promise<StandInAnswer>,
): Promise<StandIn> => {
  const requests: StandInRequest[] = []
  let [now, most] = [0, 0]
  const server = createServer((incoming, response) => {
    const respond = async () => {
      now += 1
      most = Math.max(most, now)
      const url = new URL(incoming.url ?? '/', 'http://stand-in')
      const body = await text(incoming)
      const request: StandInRequest = {
        method: incoming.method ?? '',
        path: url.pathname,
        query: url.searchParams,
        body: body === '' ? null : (JSON.parse(body) as Record<string, unknown>),
        headers: incoming.headers,
      }
      requests.push(request)
      const found = await answer(request, requests.length)
      now -= 1
      if (found === 'cut') return void response.socket?.destroy()
      response.writeHead(found.status ?? 200, { 'content-type': 'application/json', ...found.headers })
      response.end('json' in found ? JSON.stringify(found.json) : found.text)
    }
    respond().catch((error: unknown) => response.destroy(error as Error))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    mostAtOnce: () => most,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

export const NOT_FOUND: StandInAnswer = { status: 404, json: { message: 'not found' } }
