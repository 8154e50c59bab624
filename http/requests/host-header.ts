import type { IncomingMessage } from 'node:http'

/** The error text for a request that does not name one host. */
export const ONE_HOST = 'the request must have exactly one Host header'

/** Characters that no host and port have: of a list, a path, a user name. */
const FOREIGN = /[\s,/?#@\\]/

/**
 * Whether a request names one host (RFC 9112, 3.2). Otherwise a proxy and this service could read different ones from it.
 * HTTP/1.0 has no such header, and some load balancers check health with it. Node keeps only the first of two headers, so
 * this reads them as they were sent.
 */
export const namesOneHost = ({ rawHeaders, httpVersionMinor }: IncomingMessage): boolean => {
  let count = 0
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] ?? ''
    if (name.length !== 4 || name.toLowerCase() !== 'host') continue
    if (FOREIGN.test(rawHeaders[i + 1] ?? '')) return false
    count++
  }
  return count === 1 || (count === 0 && httpVersionMinor === 0)
}
