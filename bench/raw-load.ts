import { connect } from 'node:net'
import type { Server } from './servers.ts'

/**
 * Requests a path repeatedly on `clients` connections, one request at a time on each. `path` may depend on the number of
 * the request. Returns requests per second.
 * Does not use Node's own client: it takes longer per request than a server takes for a cached response, so the result
 * would be the speed of the client for both servers.
 */
export const rawLoad = async (
  clients: number,
  count: number,
  { url, headers }: Server,
  path: string | ((n: number) => string),
  extra: Readonly<Record<string, string>> = {},
): Promise<{ readonly perSecond: number }> => {
  const { hostname, port, host } = new URL(url)
  const fields = Object.entries({ host, ...headers, ...extra }).map(([name, value]) => `${name}: ${value}\r\n`)
  const requestOf = (to: string): Buffer => Buffer.from(`GET ${to} HTTP/1.1\r\n${fields.join('')}\r\n`)
  const same = typeof path === 'string' ? requestOf(path) : null
  let remaining = count
  const lane = (): Promise<void> =>
    new Promise((resolve, reject) => {
      const socket = connect(Number(port), hostname).setNoDelay(true)
      /** Bytes of the response that have not arrived yet; null until its head is complete. */
      let missing: number | null = null
      let head: Buffer = Buffer.alloc(0)
      const next = (): void => {
        if (remaining-- <= 0) return void socket.end(resolve)
        missing = null
        head = Buffer.alloc(0)
        socket.write(same ?? requestOf(typeof path === 'string' ? path : path(remaining)))
      }
      socket.on('connect', next).on('error', reject)
      socket.on('data', (chunk) => {
        if (missing === null) {
          head = head.length === 0 ? chunk : Buffer.concat([head, chunk])
          const end = head.indexOf('\r\n\r\n')
          if (end < 0) return
          const text = head.toString('latin1', 0, end)
          if (!/^HTTP\/1\.1 (?:200|304) /.test(text)) return void socket.destroy(new Error(text.split('\r\n', 1)[0]))
          missing = Number(/\r\ncontent-length: (\d+)/i.exec(text)?.[1] ?? 0) - (head.length - end - 4)
        } else missing -= chunk.length
        if (missing <= 0) next()
      })
    })
  const from = performance.now()
  await Promise.all(Array.from({ length: clients }, lane))
  return { perSecond: (count * 1000) / (performance.now() - from) }
}
