import { lookup } from 'node:dns/promises'
import { request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import PQueue from 'p-queue'
import { refusedAddress, type AllowedTargets } from './addresses.ts'
import type { DeliveryError } from '../../queries/webhooks/deliveries.ts'

/** What a receiver answered. `error` is null if it accepted the message. */
export type Posted = { readonly status: number | null; readonly error: DeliveryError | null }

export type Post = {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly allowed: AllowedTargets
  /** Ends the request. */
  readonly signal: AbortSignal
}
/** Sends a message. Always settles when its signal aborts: a stop of the sender waits for it. */
export type PostDelivery = (post: Post) => Promise<Posted>

type Address = { readonly address: string; readonly family: number }
export type Resolve = (host: string) => Promise<readonly Address[]>

/**
 * Names are resolved by the operating system in the thread pool, which everything else of the process uses too: a few slow
 * names must not occupy all of it.
 */
const lookups = new PQueue({ concurrency: 2 })

const resolveName: Resolve = (host) => lookups.add(() => lookup(host, { all: true }))

const MAX_HEADER_BYTES = 16_384

/** Gives the connection the addresses that were checked, so that the name is not resolved a second time. */
const pinned = (addresses: readonly Address[]): LookupFunction => {
  const [first] = addresses
  return (_host, options, callback) => {
    if (options.all) callback(null, [...addresses])
    else callback(null, first?.address ?? '', first?.family)
  }
}

const failureCode = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''

/** Whether a code of OpenSSL or of Node is about a certificate or a handshake that is not accepted. */
export const isTlsCode = (code: string): boolean =>
  /^(ERR_TLS|ERR_SSL|EPROTO|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_|HOSTNAME_MISMATCH|INVALID_CA)/.test(code)

const statusError = (status: number): DeliveryError | null => {
  if (status >= 200 && status < 300) return null
  return status >= 300 && status < 400 ? 'redirect' : 'status'
}

/** Rejects when the signal aborts: resolving a name cannot be interrupted. */
const aborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_resolve, reject) => {
    const abort = (): void => reject(new Error('aborted', { cause: signal.reason }))
    if (signal.aborted) abort()
    else signal.addEventListener('abort', abort, { once: true })
  })

const postedStatus = ({ url, headers, body, signal }: Omit<Post, 'allowed'>, addresses: readonly Address[]) =>
  new Promise<number>((resolve, reject) => {
    const request = (url.startsWith('https:') ? requestHttps : requestHttp)(
      url,
      {
        method: 'POST',
        headers: { ...headers, 'content-length': Buffer.byteLength(body) },
        lookup: pinned(addresses),
        // A connection of its own: none that was opened for another address is used again.
        agent: false,
        maxHeaderSize: MAX_HEADER_BYTES,
        signal,
      },
      (response) => {
        resolve(response.statusCode ?? 0)
        // Nothing of the answer is read: only its status counts.
        response.destroy()
      },
    )
    request.on('error', reject)
    request.end(body)
  })

/**
 * Returns a function that sends a message. It resolves the host once, refuses addresses to which nothing may be sent, and
 * connects to the others. It follows no redirect and reads no body. The function throws nothing: what went wrong is a code.
 */
export const postDelivery =
  (resolve: Resolve = resolveName): PostDelivery =>
  async ({ allowed, ...post }) => {
    const url = new URL(post.url)
    const host = url.hostname.replace(/^\[(.*)\]$/, '$1')
    const timeout = (): Posted => ({ status: null, error: 'timeout' })
    let addresses: readonly Address[]
    try {
      addresses =
        isIP(host) === 0
          ? await Promise.race([resolve(host), aborted(post.signal)])
          : [{ address: host, family: isIP(host) }]
    } catch {
      return post.signal.aborted ? timeout() : { status: null, error: 'name_not_resolved' }
    }
    if (addresses.length === 0) return { status: null, error: 'name_not_resolved' }
    const refused = refusedAddress(
      url,
      addresses.map(({ address }) => address),
      allowed,
    )
    if (refused !== null) return { status: null, error: 'address_refused' }
    try {
      const status = await postedStatus(post, addresses)
      return { status, error: statusError(status) }
    } catch (error) {
      if (post.signal.aborted) return timeout()
      return { status: null, error: isTlsCode(failureCode(error)) ? 'tls' : 'connection' }
    }
  }
