const SAFE: readonly string[] = ['GET', 'HEAD', 'OPTIONS']

/** `host[:port]`, with nothing that a lenient parser could read as another host. */
const HOST = /^[^/?#\\@,\s]+$/
const ORIGIN = /^(https?):\/\/([^/?#\\@,\s]+)(?:[/?#]|$)/i

type Asked = {
  readonly method: string
  /** `Sec-Fetch-Site`: what a browser says of the page behind a request. */
  readonly site: string | undefined
  readonly origin: string | undefined
  readonly referer: string | undefined
  readonly host: string | undefined
  /** The configured public URL; null where there is none. */
  readonly publicUrl: string | null
}

/** What an operator does about it who sees it on the service's own pages. */
export const CROSS_ORIGIN =
  'cross-origin request rejected: if this page is the service itself, behind a proxy that changes the host, set SERVICE_PUBLIC_URL to the address in the browser'

/**
 * Whether a page of another site made a browser send this. A browser that knows says so in `Sec-Fetch-Site`, which no
 * page can set and no proxy changes. Else Origin decides, else Referer; with neither it was no browser, or one that the
 * cookie's SameSite holds back.
 */
export const isCrossOrigin = ({ method, site, origin, referer, host, publicUrl }: Asked): boolean => {
  if (SAFE.includes(method.toUpperCase())) return false
  const told = site?.trim().toLowerCase()
  if (told === 'cross-site') return true
  if (told === 'same-origin') return false
  const from = origin ?? referer
  if (from === undefined) return false
  const [, scheme, sender] = ORIGIN.exec(from) ?? []
  if (scheme === undefined || sender === undefined) return true
  const known = hostOf(scheme, sender)
  const ours = [host, publicUrl === null ? undefined : new URL(publicUrl).host]
  return known === null || !ours.some((each) => each !== undefined && hostOf(scheme, each) === known)
}

/** In lower case, without the port that the scheme implies; null for what is no host. */
const hostOf = (scheme: string, host: string): string | null => {
  const url = `${scheme}://${host}`
  return HOST.test(host) && URL.canParse(url) ? new URL(url).host : null
}
