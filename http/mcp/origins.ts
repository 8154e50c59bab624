import type { FastifyReply, FastifyRequest } from 'fastify'
import type { IncomingHttpHeaders } from 'node:http'
import type { AllowedOrigin } from '../services.ts'

// `*` and `null` would be names of hosts that no page has. Who writes them means every page, or pages without an origin.
const ENTRY = /^(?:(https?):\/\/)?(\[[0-9a-f:.]+\]|(?!null(?::|$))[^\s:/?#@*\\[\]]+)(?::(\d{1,5}))?$/i

/** Reads an entry of the allowlist: `https://host:port`, `host:port` or `host`. Null if it is none. */
export const readAllowedOrigin = (entry: string): AllowedOrigin | null => {
  const [, scheme, host, port] = ENTRY.exec(entry) ?? []
  if (host === undefined || !URL.canParse(`http://${host}`)) return null
  if (port !== undefined && Number(port) > 65_535) return null
  return {
    scheme: scheme?.toLowerCase() ?? null,
    host: new URL(`http://${host}`).hostname,
    port: port === undefined ? null : String(Number(port)),
  }
}

const LOOPBACK: readonly AllowedOrigin[] = ['localhost', '127.0.0.1', '[::1]'].map((host) => ({
  scheme: null,
  host,
  port: null,
}))

const DEFAULT_PORTS: Readonly<Record<string, string>> = { 'http:': '80', 'https:': '443' }

const isAllowedBy = (origin: string, { scheme, host, port }: AllowedOrigin): boolean => {
  if (!/^https?:\/\//i.test(origin) || !URL.canParse(origin)) return false
  const url = new URL(origin)
  return (
    (scheme === null || url.protocol === `${scheme}:`) &&
    url.hostname === host &&
    (port === null || (url.port || DEFAULT_PORTS[url.protocol]) === port)
  )
}

export type Origins = {
  /** Whether a request may be answered. One from no browser has no origin, and passes. */
  readonly admits: (headers: IncomingHttpHeaders) => boolean
  /** The origin of the page that sent a request, if its pages may read the answer. */
  readonly readerOf: (headers: IncomingHttpHeaders) => string | null
}

/**
 * Which pages may call the endpoint for agents: those of the public URL and of the configured origins; if there are
 * none, those of this machine. The host that a request names does not count, since a page can choose it (DNS
 * rebinding).
 */
export const allowedOrigins = (publicUrl: string | null, configured: readonly AllowedOrigin[]): Origins => {
  const own = publicUrl === null ? null : new URL(publicUrl)
  const listed = [...(own ? [{ scheme: null, host: own.hostname, port: own.port || null }] : []), ...configured]
  const allowed = listed.length > 0 ? listed : LOOPBACK
  const isAllowed = (origin: string): boolean => allowed.some((entry) => isAllowedBy(origin, entry))
  return {
    admits: ({ origin, referer }) => {
      const sender = origin ?? referer
      return sender === undefined || isAllowed(sender)
    },
    readerOf: ({ origin }) => (origin !== undefined && isAllowed(origin) ? origin : null),
  }
}

/** Sets the headers that let a page read the answer. Returns whether it may. */
export const allowOrigin = (origins: Origins, request: FastifyRequest, reply: FastifyReply): boolean => {
  void reply.header('vary', 'Origin')
  const reader = origins.readerOf(request.headers)
  if (reader !== null) void reply.header('access-control-allow-origin', reader)
  return reader !== null
}
