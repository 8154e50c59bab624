import { hash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { constantTimeEqual } from '@oslojs/crypto/subtle'
import type { FastifyRequest } from 'fastify'
import { LRUCache } from 'lru-cache'
import { reaches, SCOPES } from '../../queries/access/viewer.ts'
import type { Scope, Viewer } from '../../queries/access/viewer.ts'
import type { Actor } from '../../storage/command.ts'
import type { AuthMode, StaticToken } from '../services.ts'
import { readSessionCookie } from './cookies.ts'

/** Who a request comes from, and what its credential may do (null for anonymous callers). */
export type Identity = {
  readonly kind: Actor['kind']
  readonly scope: Scope | null
  readonly credential_id: string | null
  readonly user_id: string | null
  readonly sees_all: boolean
  /** A browser sent the credential by itself. */
  readonly by_cookie: boolean
}

const ANONYMOUS: Identity = {
  kind: 'anonymous',
  scope: null,
  credential_id: null,
  user_id: null,
  sees_all: false,
  by_cookie: false,
}

/** A session or key that cannot be looked up before the read tables are current. */
export const UNRESOLVED: Identity = { ...ANONYMOUS }

/** The id under which a static token acts: its scope and place in the list, never its secret. */
export const staticTokenId = ({ scope, position }: Pick<StaticToken, 'scope' | 'position'>): string =>
  `static:${scope}:${position}`

/**
 * Resolves a credential to an identity, or null. It is given with its digest (`digestOf`), which all kinds are known
 * by.
 */
export type Resolve = (credential: string, digest: string) => Promise<Identity | null> | Identity | null

/**
 * SHA-256 of a credential, lower-case hex. Node reads header bytes as Latin-1; a secret beyond ASCII is sent as its
 * UTF-8.
 */
const digestOf = (credential: string): string => hash('sha256', Buffer.from(credential, 'latin1'), 'hex')

/** Digests that no static token has, of those that come again and again. */
const MAX_UNMET = 1_000

/**
 * What is asked of a credential in a header, in order: static token, then API key, then session; and of one in a
 * cookie.
 */
export type Resolvers = { readonly inHeader: readonly Resolve[]; readonly inCookie: Resolve }

/**
 * Matches static tokens. Every token is compared, each in constant time over digests, so neither the time nor the order
 * tells anything; of a secret listed twice the highest scope counts.
 */
export const staticTokens = (tokens: readonly StaticToken[]): Resolve => {
  // The highest scope first. Sorting keeps the order of the list among equals.
  const known = tokens
    .toSorted((a, b) => SCOPES.indexOf(b.scope) - SCOPES.indexOf(a.scope))
    .map((token) => ({
      digest: Buffer.from(hash('sha256', Buffer.from(token.secret), 'hex')),
      identity: identityOf(token),
    }))
  // What was compared before, by its digest: the tokens never change while the process runs.
  const met = new Map<string, Identity>()
  const unmet = new LRUCache<string, true>({ max: MAX_UNMET })
  return (_credential, digest) => {
    const before = met.get(digest)
    if (before) return before
    if (unmet.has(digest)) return null
    const presented = Buffer.from(digest)
    let best: Identity | null = null
    for (const each of known) if (constantTimeEqual(each.digest, presented)) best ??= each.identity
    if (best) met.set(digest, best)
    else unmet.set(digest, true)
    return best
  }
}

const identityOf = (token: StaticToken): Identity => ({
  kind: 'static',
  scope: token.scope,
  credential_id: staticTokenId(token),
  user_id: null,
  sees_all: token.scope === 'admin',
  by_cookie: false,
})

export type Identify = (request: IncomingMessage) => Promise<Identity> | Identity

/**
 * Reads the credential of a request and resolves it; what resolves to nothing is anonymous. A header, when present,
 * decides alone. At once where the resolvers answer at once, as they do for static tokens and what they know already;
 * those that do not are asked once for a request.
 */
export const identifying = ({ inHeader, inCookie }: Resolvers): Identify => {
  const asked = new WeakMap<IncomingMessage, Promise<Identity>>()
  // A connection sends the same credential again and again, and is forgotten with it: nothing else keeps one in the
  // clear.
  const sent = new WeakMap<object, { readonly credential: string; readonly digest: string }>()
  const digestBy = (socket: object, credential: string): string => {
    const before = sent.get(socket)
    if (before?.credential === credential) return before.digest
    const digest = digestOf(credential)
    sent.set(socket, { credential, digest })
    return digest
  }
  const identify = ({ headers: { authorization, cookie }, socket }: IncomingMessage): Promise<Identity> | Identity => {
    if (authorization !== undefined) {
      const credential = credentialOf(authorization)
      return credential === '' ? ANONYMOUS : resolved(credential, digestBy(socket, credential), inHeader, 0)
    }
    const token = readSessionCookie(cookie)
    if (token === null) return ANONYMOUS
    const found = inCookie(token, digestBy(socket, token))
    return found instanceof Promise ? found.then(sentByBrowser) : sentByBrowser(found)
  }
  return (request) => {
    const before = asked.get(request)
    if (before) return before
    const identity = identify(request)
    if (identity instanceof Promise) asked.set(request, identity)
    return identity
  }
}

const sentByBrowser = (identity: Identity | null): Identity =>
  identity === null ? ANONYMOUS : identity === UNRESOLVED ? identity : { ...identity, by_cookie: true }

const resolved = (
  credential: string,
  digest: string,
  resolvers: readonly Resolve[],
  at: number,
): Promise<Identity> | Identity => {
  const resolve = resolvers[at]
  if (!resolve) return ANONYMOUS
  const identity = resolve(credential, digest)
  if (identity instanceof Promise)
    return identity.then((found) => found ?? resolved(credential, digest, resolvers, at + 1))
  return identity ?? resolved(credential, digest, resolvers, at + 1)
}

/** `Bearer x` or a bare value. */
const credentialOf = (header: string): string =>
  (header.startsWith('Bearer ') ? header.slice(7) : header.replace(/^bearer\s+/i, '')).trim()

/** The scope a route needs in a mode: none in open mode, none for reads where only writes are protected. */
export const requiredScope = (mode: AuthMode, scope: Scope | null): Scope | null => {
  if (mode === 'open') return null
  return mode === 'protect-writes' && scope === 'read' ? null : scope
}

/** Why a scope is not enough: there is no credential, or its scope is too low. */
export type ScopeRefusal = 'unauthenticated' | 'forbidden'

/** Why a caller may not use a route, or null. `isCredentialNeeded` requires some credential, in every mode. */
export const findScopeRefusal = (
  mode: AuthMode,
  needed: Scope | null,
  { scope }: Identity,
  isCredentialNeeded = false,
): ScopeRefusal | null => {
  const required = requiredScope(mode, needed)
  const isEnough = required === null || (scope !== null && reaches(scope, required))
  if (scope === null && (isCredentialNeeded || !isEnough)) return 'unauthenticated'
  return isEnough ? null : 'forbidden'
}

const LOGGED_ID = /^[A-Za-z0-9._-]{1,64}$/

type Asked = { readonly address: string | null; readonly needed: Scope | null; readonly mint: () => string }

/**
 * The viewer that queries and commands are given. A request id of odd characters is echoed, but a minted one goes into
 * the log.
 */
export const viewerOf = (
  request: FastifyRequest,
  { kind, scope, credential_id, user_id, sees_all }: Identity,
  { address, needed, mint }: Asked,
): Viewer => ({
  actor: { address, credential_id, kind, scope, user_id },
  request_id: LOGGED_ID.test(request.id) ? request.id : mint(),
  sees_all,
  needed,
})
