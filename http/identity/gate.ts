import type { IncomingMessage } from 'node:http'
import type { FastifyContextConfig } from 'fastify'
import { Refused } from '../../commands/refused.ts'
import type { Scope } from '../../queries/access/viewer.ts'
import { freshness } from '../answers/freshness.ts'
import type { WaitUntilFresh } from '../answers/freshness.ts'
import { Starting } from '../errors.ts'
import type { Services } from '../services.ts'
import { accountCredentials } from './credentials.ts'
import { CROSS_ORIGIN, isCrossOrigin } from './cross-origin.ts'
import { checkScope, identifying, staticTokens, UNRESOLVED } from './identity.ts'
import type { Identify, Identity } from './identity.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The least scope in closed mode; null is open to everyone. The app does not start with a route without one. */
    scope?: Scope | null
    /** Requires some credential, in every mode. */
    authenticated?: true
    /**
     * Which requests a page of another site may not cause: those whose credential is a cookie (the default); `refused`:
     * those without a credential in a header, for routes that set a cookie; `allowed`: none, for a route that other
     * sites post to.
     */
    crossOrigin?: 'by-cookie' | 'refused' | 'allowed'
    /** Open to everyone, yet answered from the store. */
    stored?: true
  }
}

/** What a route says of who may call it. A path without a route has none of them. */
export type RouteRules = Pick<FastifyContextConfig, 'scope' | 'authenticated' | 'stored' | 'crossOrigin'>

export type Gate = {
  /** The id that the client gives, or a new one. */
  readonly requestIdOf: (request: IncomingMessage) => string
  readonly waitUntilFresh: WaitUntilFresh
  readonly identify: Identify
  /** Refuses: forbidden, if a page of another site caused the request. */
  readonly checkOrigin: (request: IncomingMessage, identity: Identity, rules: RouteRules) => void
  /** Refuses: unauthenticated, forbidden. Throws `Starting` while the store cannot answer. */
  readonly checkAccess: (identity: Identity, rules: RouteRules) => void
}

/** Every condition that a request must meet before a route answers it. */
export const openGate = (services: Services, mint: () => string): Gate => {
  const { config, isReady } = services
  const { key, session } = accountCredentials(services)
  return {
    requestIdOf: ({ headers: { 'x-request-id': given } }) => (typeof given === 'string' ? given : given?.[0]) || mint(),
    waitUntilFresh: freshness(services),
    identify: identifying({ inHeader: [staticTokens(config.tokens), key, session], inCookie: session }),
    checkOrigin: ({ method = '', headers }, { by_cookie }, { crossOrigin = 'by-cookie' }) => {
      // Whoever sends a credential in a header knows it, whichever page the request comes from.
      const isGuarded =
        crossOrigin === 'refused' ? headers.authorization === undefined : crossOrigin === 'by-cookie' && by_cookie
      const { origin, referer, host, 'sec-fetch-site': given } = headers
      const site = [given].flat()[0]
      if (isGuarded && isCrossOrigin({ method, site, origin, referer, host, publicUrl: config.publicUrl }))
        throw new Refused('forbidden', CROSS_ORIGIN)
    },
    checkAccess: (identity, { scope = null, authenticated, stored }) => {
      const isStoreReady = isReady()
      // Until the read tables are ready we cannot resolve some credentials, so an unresolved one is not rejected.
      if (isStoreReady || identity !== UNRESOLVED) checkScope(config.authMode, scope, identity, authenticated)
      if ((scope !== null || stored) && !isStoreReady) throw new Starting()
    },
  }
}
