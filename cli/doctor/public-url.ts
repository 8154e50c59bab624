import { connect, type TLSSocket } from 'node:tls'
import { once } from 'node:events'
import { causeText } from '../../domain/plain/cause-text.ts'
import { bodyParts, dropBody } from '../../engine/http/read-body.ts'
import type { Config } from '../serve/config.ts'
import { whyUnhealthy } from '../serve/healthcheck.ts'
import { failure, ok, warning, type Finding } from './finding.ts'

const TIMEOUT_MS = 5_000
const DAY_MS = 86_400_000
const SOON_DAYS = 14
const MAX_CLOCK_GAP_MS = 60_000
/** A stream begins at once; what is not here then was collected by a proxy. */
const STREAM_MS = 5_000

export type PublicUrlOptions = {
  readonly url: string
  readonly config: Pick<Config, 'trustedProxies' | 'cookieSecure'>
  /** A bearer token for the event stream; null if there is none. */
  readonly token: string | null
  readonly now: () => number
  readonly streamMs?: number
}

/** Asks the service by the URL that its users have: whether it answers, over TLS, with its headers, and without delay. */
export const checkPublicUrl = async (options: PublicUrlOptions): Promise<readonly Finding[]> => {
  const { url, now } = options
  const tls = await tlsFinding(new URL(url), now())
  if (tls.status === 'error') return [tls]
  const reason = await whyUnhealthy(url, TIMEOUT_MS)
  if (reason !== null)
    return [tls, failure('public URL', reason, 'start the service, or correct the proxy or SERVICE_PUBLIC_URL')]
  return [ok('public URL', `${url} answers`), tls, ...(await headerFindings(options)), await bufferingFinding(options)]
}

const isLocal = (host: string): boolean => /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(host)

const tlsFinding = async (url: URL, now: number): Promise<Finding> => {
  if (url.protocol === 'http:')
    return isLocal(url.hostname)
      ? ok('TLS', 'not needed on this machine')
      : warning(
          'TLS',
          'the public URL is not https, so passwords and keys can be read in the network',
          'put a proxy with a certificate in front of the service, and set SERVICE_PUBLIC_URL to its https URL',
        )
  const socket: TLSSocket = connect({
    host: url.hostname.replace(/^\[(.*)\]$/, '$1'),
    port: Number(url.port || 443),
    ...(/^[\d.:[\]]+$/.test(url.hostname) ? {} : { servername: url.hostname }),
  })
  const timer = setTimeout(() => socket.destroy(new Error(`no answer within ${TIMEOUT_MS / 1000} s`)), TIMEOUT_MS)
  try {
    await once(socket, 'secureConnect')
    return certificateFinding(socket.getPeerCertificate().valid_to, now)
  } catch (error) {
    return failure(
      'TLS',
      `${url.origin} cannot be reached over TLS: ${causeText(error)}`,
      'renew or correct the certificate of the proxy, with its whole chain',
    )
  } finally {
    clearTimeout(timer)
    socket.destroy()
  }
}

/** Whether a certificate, which is valid now, ends soon. */
export const certificateFinding = (validTo: string, now: number): Finding => {
  const days = Math.floor((Date.parse(validTo) - now) / DAY_MS)
  const message = `the certificate is valid for ${days} more days`
  return days < SOON_DAYS
    ? warning('TLS', message, 'renew it, and see why that is not done automatically')
    : ok('TLS', message)
}

const headerFindings = async ({ url, config, token, now }: PublicUrlOptions): Promise<readonly Finding[]> => {
  const response = await fetch(`${url}/api/v1/runs?limit=1`, {
    signal: AbortSignal.timeout(TIMEOUT_MS),
    redirect: 'manual',
    headers: { 'x-request-id': 'ers-doctor', ...(token === null ? {} : { authorization: `Bearer ${token}` }) },
  })
  await dropBody(response)
  const findings: Finding[] = []
  const { headers, status } = response
  if (headers.get('x-request-id') !== 'ers-doctor' || headers.get('x-content-type-options') === null)
    findings.push(
      warning(
        'proxy headers',
        'the proxy changes or removes headers of requests or responses',
        'let X-Request-Id and the headers of the service through',
      ),
    )
  if (token !== null && status === 401)
    findings.push(
      warning(
        'proxy headers',
        'a token of SERVICE_TOKENS is refused through this URL',
        'let the proxy pass Authorization on; or the service there has other tokens',
      ),
    )
  const proxy = headers.get('via') ?? headers.get('server')
  if (proxy !== null && config.trustedProxies.length === 0)
    findings.push(
      warning(
        'proxy headers',
        "a proxy answers, and SERVICE_TRUSTED_PROXIES is empty: the audit trail and the limits of sign-ins have its address instead of the clients'",
        'set SERVICE_TRUSTED_PROXIES to the addresses of the proxy',
      ),
    )
  if (new URL(url).protocol === 'https:' && !config.cookieSecure)
    findings.push(
      warning(
        'proxy headers',
        'the URL is https, and cookies are not Secure',
        'set SERVICE_PUBLIC_URL to it, or SERVICE_COOKIE_SECURE=true',
      ),
    )
  const date = Date.parse(headers.get('date') ?? '')
  if (Math.abs(date - now()) > MAX_CLOCK_GAP_MS)
    findings.push(
      warning(
        'clock',
        `the clock of the service or its proxy differs by ${Math.round((date - now()) / 1000)} s from the clock here`,
        'keep all clocks right with NTP',
      ),
    )
  return findings.some(({ check }) => check === 'proxy headers')
    ? findings
    : [ok('proxy headers', 'they arrive'), ...findings]
}

const bufferingFinding = async ({ url, token, streamMs = STREAM_MS }: PublicUrlOptions): Promise<Finding> => {
  const remedy =
    'turn buffering and compression off for /api/v1/events/stream (deploy/nginx.conf), with a read timeout over 15 s'
  const controller = new AbortController()
  const timer = setTimeout(() => controller.abort(), streamMs)
  try {
    const response = await fetch(`${url}/api/v1/events/stream`, {
      signal: controller.signal,
      headers: { accept: 'text/event-stream', ...(token === null ? {} : { authorization: `Bearer ${token}` }) },
    })
    if (!response.ok) {
      await dropBody(response)
      return warning(
        'proxy buffering',
        `not checked: the event stream answers ${response.status}`,
        'set SERVICE_TOKEN to a token that may read',
      )
    }
    for await (const part of bodyParts(response, { maxBytes: 65_536, patienceMs: streamMs })) if (part.length > 0) break
    return response.headers.get('content-encoding') === null
      ? ok('proxy buffering', 'the event stream begins at once')
      : warning('proxy buffering', 'the event stream is compressed on its way', remedy)
  } catch (error) {
    return failure(
      'proxy buffering',
      controller.signal.aborted
        ? 'the event stream does not begin: something collects it'
        : `the event stream breaks: ${causeText(error)}`,
      remedy,
    )
  } finally {
    clearTimeout(timer)
    controller.abort()
  }
}
