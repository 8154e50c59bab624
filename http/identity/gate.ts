import type { IncomingMessage } from 'node:http'
import type { FastifyContextConfig } from 'fastify'
import { Refused } from '../../commands/refused.ts'
import type { Scope } from '../../queries/access/viewer.ts'
import { CACHE_RULES, DATA_ONLY } from '../answers/cache-rules.ts'
import { freshness, type WaitUntilFresh } from '../answers/freshness.ts'
import type { RecordAnswer } from '../metrics/access-log.ts'
import { namesOneHost, ONE_HOST } from '../requests/host-header.ts'
import type { Services } from '../services.ts'
import { accountCredentials } from './credentials.ts'
import { originRefusals } from './origin-refusals.ts'
import { identifyWith, type Identify } from './identify.ts'
import {
  CREDENTIAL_REQUIRED,
  findScopeRefusal,
  insufficientScope,
  type Identity,
  type ScopeRefusal,
} from './identity.ts'
import { staticTokens } from './static-tokens.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** With a key in the query, the route needs no scope: it checks the key, and answers every caller the same. */
    keyed?: true
    /** The least scope in closed mode; null is open to everyone. If a route leaves this out, the app does not start. */
    scope?: Scope | null
    /** Requires some credential, in every mode. */
    authenticated?: true
    /**
     * Which unsafe requests are refused if a page of another site caused them. By default, those without an
     * `Authorization` header. `by-cookie`: those whose credential is a cookie, for a route that checks origins itself.
     * `allowed`: none, for a route that other sites post to.
     */
    crossOrigin?: 'by-cookie' | 'allowed'
    /** The answer is a stream without an end. It is recorded when it begins. */
    endless?: true
  }
}

/** The rules of a route about its callers. A path without a route has no rules. */
export type RouteRules = Pick<FastifyContextConfig, 'scope' | 'authenticated' | 'crossOrigin' | 'keyed'>
export const NO_ROUTE: RouteRules = {}

/**
 * Every condition that a request must meet before it is answered, and what all answers have in common. The app and the
 * fast path share one gate. If the fast path does not admit a request, the app answers it and states the reason.
 */
export type Gate = {
  /** The id that the client gives, or a new one. */
  readonly requestIdOf: (request: IncomingMessage) => string
  /** The headers that every answer has, as a new object. For reads of the API, also those of the cache rules. */
  readonly headersOf: (request_id: string, isApiRead: boolean) => Record<string, string | number | undefined>
  readonly waitUntilFresh: WaitUntilFresh
  readonly identify: Identify
  /** Refuses: forbidden, if a page of another site caused the request; bad_request, if it does not name one host. */
  readonly checkOrigin: (request: IncomingMessage, identity: Identity, rules: RouteRules) => void
  /** Why a request may not be answered, or null. For a route that says it in its own way. */
  readonly findRefusal: (identity: Identity, rules: RouteRules) => ScopeRefusal | null
  /** Refuses: unauthenticated, forbidden. */
  readonly checkAccess: (identity: Identity, rules: RouteRules) => void
  /** Whether a request that names one host may be answered. */
  readonly admits: (
    request: Pick<IncomingMessage, 'headers' | 'method'>,
    identity: Identity,
    rules: RouteRules,
  ) => boolean
  /** Takes every answer that was sent, for the access log and the metrics. */
  readonly recordAnswer: RecordAnswer
}

type Parts = { readonly mint: () => string; readonly recordAnswer: RecordAnswer }

export const openGate = (services: Services, { mint, recordAnswer }: Parts): Gate => {
  const { authMode, tokens } = services.config
  const { key, session } = accountCredentials(services)

  const findOriginRefusal = originRefusals(services.config)
  const findRefusal: Gate['findRefusal'] = (identity, rules) => findScopeRefusal(authMode, rules, identity)

  return {
    requestIdOf: ({ headers: { 'x-request-id': given } }) => (typeof given === 'string' ? given : given?.[0]) || mint(),
    headersOf: (request_id, isApiRead) =>
      isApiRead
        ? { 'x-request-id': request_id, ...CACHE_RULES, ...DATA_ONLY }
        : { 'x-request-id': request_id, ...DATA_ONLY },
    waitUntilFresh: freshness(services),
    identify: identifyWith({ inHeader: [staticTokens(tokens), key, session], inCookie: session }),
    checkOrigin: (request, identity, rules) => {
      if (!namesOneHost(request)) throw new Refused('bad_request', ONE_HOST)
      const refusal = findOriginRefusal(request, identity, rules)
      if (refusal !== null) throw new Refused('forbidden', refusal)
    },
    findRefusal,
    checkAccess: (identity, rules) => {
      const refusal = findRefusal(identity, rules)
      if (refusal === 'unauthenticated') throw new Refused(refusal, CREDENTIAL_REQUIRED)
      if (refusal === 'forbidden') throw new Refused(refusal, insufficientScope(rules.scope ?? 'read'))
    },
    admits: (request, identity, rules) =>
      findOriginRefusal(request, identity, rules) === null && findRefusal(identity, rules) === null,
    recordAnswer,
  }
}
