import { once } from 'node:events'
import { createServer, request, type RequestListener } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { pipeline } from 'node:stream'
import type { SigningKey } from '../sso/certificate.ts'

export type ReverseProxy = {
  /** The address that browsers use. */
  readonly url: string
  /** From now on, requests go to this server. */
  readonly forwardTo: (url: string) => void
  /** The paths of all requests so far. */
  readonly requests: readonly string[]
  /** From now on, requests for these paths get this status; null: none. */
  readonly refuse: (paths: RegExp | null, status?: number) => void
  /** From now on, requests for this path get this page, which is of the origin of the server then. */
  readonly show: (path: string, html: string) => void
  readonly close: () => Promise<void>
}

/**
 * A reverse proxy on 127.0.0.1, like those in front of a service: it has an address of its own, and names the server, not
 * itself, in `Host`. With a key it speaks TLS.
 */
export const startReverseProxy = async (tls: SigningKey | null = null): Promise<ReverseProxy> => {
  let target = ''
  let refused: { readonly paths: RegExp; readonly status: number } | null = null
  const requests: string[] = []
  const pages = new Map<string, string>()
  const forward: RequestListener = (incoming, response) => {
    requests.push(incoming.url ?? '')
    if (refused?.paths.test(incoming.url ?? '')) {
      response.writeHead(refused.status, { 'content-type': 'application/json' }).end('{"error":"not now"}')
      return
    }
    const page = pages.get(incoming.url ?? '')
    if (page !== undefined) {
      response.writeHead(200, { 'content-type': 'text/html' }).end(page)
      return
    }
    const { host } = new URL(target)
    const headers = { ...incoming.headers, host, 'x-forwarded-for': incoming.socket.remoteAddress }
    const outgoing = request(`${target}${incoming.url}`, { method: incoming.method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers)
      // A connection that breaks ends both sides; the client sees it.
      pipeline(answer, response, () => {})
    })
    outgoing.on('error', () => response.destroy())
    response.on('close', () => outgoing.destroy())
    incoming.pipe(outgoing)
  }
  const server = tls
    ? createTlsServer({ key: tls.privateKey.export({ type: 'pkcs8', format: 'pem' }), cert: tls.certificate }, forward)
    : createServer(forward)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `${tls ? 'https' : 'http'}://127.0.0.1:${(server.address() as AddressInfo).port}`,
    forwardTo: (url) => (target = url),
    requests,
    refuse: (paths, status = 503) => (refused = paths && { paths, status }),
    show: (path, html) => void pages.set(path, html),
    close: async () => {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}
