import { isIP } from 'node:net'

const SAFE: readonly string[] = ['GET', 'HEAD', 'OPTIONS']

/** Whether a request of this method only reads. */
export const isSafe = (method: string): boolean => SAFE.includes(method.toUpperCase())

/** `host[:port]`, without characters that could make a lenient parser see a different host. */
const HOST = /^[^/?#\\@,\s]+$/
const ORIGIN = /^(https?):\/\/([^/?#\\@,\s]+)(?:[/?#]|$)/i

type RequestOrigin = {
  readonly method: string
  /** `Sec-Fetch-Site`: how the page that sent the request relates to this site, according to the browser. */
  readonly site: string | undefined
  readonly origin: string | undefined
  readonly referer: string | undefined
  readonly host: string | undefined
  /** The configured public URL; null where there is none. */
  readonly publicUrl: string | null
}

/** The error text. It says what an operator must do if the service's own pages are rejected. */
export const CROSS_ORIGIN =
  'cross-origin request rejected: if this page is the service itself, behind a proxy that changes the host, set SERVICE_PUBLIC_URL to the address in the browser'

/**
 * Whether a page of another site caused a browser to send this request. A current browser reports it in `Sec-Fetch-Site`,
 * which pages cannot set and proxies do not change. Else Origin decides, else Referer. A request with neither comes from
 * no browser, or from one that respects the cookie's SameSite.
 */
export const isCrossOrigin = ({ method, site, origin, referer, host, publicUrl }: RequestOrigin): boolean => {
  if (isSafe(method)) return false
  const relation = site?.trim().toLowerCase()
  if (relation === 'cross-site') return true
  if (relation === 'same-origin') return false
  const from = origin ?? referer
  // `same-site` is another port or another name of one domain, so the page is not one of this service.
  if (from === undefined) return relation === 'same-site'
  const [, scheme, sender] = ORIGIN.exec(from) ?? []
  if (scheme === undefined || sender === undefined) return true
  const senderHost = hostWithPort(scheme, sender)
  const ownHosts = [host, publicUrl === null ? undefined : new URL(publicUrl).host]
  return senderHost === null || !ownHosts.some((own) => own !== undefined && hostWithPort(scheme, own) === senderHost)
}

/** Returns the host in lower case, without the default port of the scheme; null if it is no host. */
const hostWithPort = (scheme: string, host: string): string | null => {
  const url = `${scheme}://${host}`
  return HOST.test(host) && URL.canParse(url) ? new URL(url).host : null
}

/** Suffixes of names that no public DNS serves, so that no page of another site can have such a host. */
const PRIVATE_NAME = /\.(?:localhost|internal|local|lan|home\.arpa|corp|test)$/

/**
 * Returns the host of a browser's request if a page of another site could have that name; null otherwise. A name in public DNS
 * can be pointed to any address after its page was loaded (DNS rebinding). The page then counts as one of this service,
 * and needs no credential in open mode. So only these hosts are known: that of the public URL, IP addresses, and names
 * that no public DNS serves.
 */
export const findUnknownHost = (
  { site, origin, referer, host }: Pick<RequestOrigin, 'site' | 'origin' | 'referer' | 'host'>,
  publicUrl: string | null,
): string | null => {
  const from = origin ?? referer
  // Some browsers send no Origin with a request of the same origin, as a page that was rebound has.
  if (from === undefined && site === undefined) return null
  // An opaque origin has no host; then the requested one decides. A proxy may have changed that one.
  const sender = ORIGIN.exec(from ?? '')?.[2] ?? host ?? ''
  return isKnownHost(sender, publicUrl) ? null : sender
}

const isKnownHost = (host: string, publicUrl: string | null): boolean => {
  const url = `http://${host}`
  if (!HOST.test(host) || !URL.canParse(url)) return false
  const name = new URL(url).hostname.replace(/\.$/, '')
  return (
    !name.includes('.') ||
    isIP(name) !== 0 ||
    PRIVATE_NAME.test(name) ||
    (publicUrl !== null && name === new URL(publicUrl).hostname)
  )
}

/** The error text for a host that `findUnknownHost` returned. */
export const unknownHost = (host: string): string =>
  `browser request for the unknown host ${JSON.stringify(host)} rejected: set SERVICE_PUBLIC_URL to the address in the browser, because in open mode every page that can reach this service could write to it`
