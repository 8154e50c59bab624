import type { IncomingMessage } from 'node:http'
import type { FastifyContextConfig } from 'fastify'
import type { HttpConfig } from '../services.ts'
import { CROSS_ORIGIN, findUnknownHost, isCrossOrigin, isSafe, unknownHost } from './cross-origin.ts'

import type { Identity } from './identity.ts'

/** Returns why a request is refused because of the page that caused it; null if it is not refused. */
export const originRefusals =
  ({ authMode, publicUrl }: Pick<HttpConfig, 'authMode' | 'publicUrl'>) =>
  (
    { method = '', headers }: Pick<IncomingMessage, 'headers' | 'method'>,
    { by_cookie, kind }: Identity,
    { crossOrigin }: FastifyContextConfig,
  ): string | null => {
    if (isSafe(method) || crossOrigin === 'allowed') return null
    const { authorization, origin, referer, host, 'sec-fetch-site': given } = headers
    const site = typeof given === 'string' ? given : given?.[0]
    // A page that sends a credential in a header already knows it, so no browser added it.
    const isGuarded = by_cookie || (crossOrigin !== 'by-cookie' && authorization === undefined)
    if (isGuarded && isCrossOrigin({ method, site, origin, referer, host, publicUrl })) return CROSS_ORIGIN
    // Another host's page has no cookie of this one, so only requests without a valid credential can be its own.
    if (authMode !== 'open' || kind !== 'anonymous' || crossOrigin === 'by-cookie') return null
    const unknown = findUnknownHost({ site, origin, referer, host }, publicUrl)
    return unknown === null ? null : unknownHost(unknown)
  }
