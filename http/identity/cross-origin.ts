const SAFE: readonly string[] = ['GET', 'HEAD', 'OPTIONS']

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
  if (SAFE.includes(method.toUpperCase())) return false
  const relation = site?.trim().toLowerCase()
  if (relation === 'cross-site') return true
  if (relation === 'same-origin') return false
  const from = origin ?? referer
  if (from === undefined) return false
  const [, scheme, sender] = ORIGIN.exec(from) ?? []
  if (scheme === undefined || sender === undefined) return true
  const senderHost = hostOf(scheme, sender)
  const ownHosts = [host, publicUrl === null ? undefined : new URL(publicUrl).host]
  return senderHost === null || !ownHosts.some((own) => own !== undefined && hostOf(scheme, own) === senderHost)
}

/** Returns the host in lower case, without the default port of the scheme; null if it is no host. */
const hostOf = (scheme: string, host: string): string | null => {
  const url = `${scheme}://${host}`
  return HOST.test(host) && URL.canParse(url) ? new URL(url).host : null
}
