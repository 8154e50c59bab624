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

/** The caller of a request, and the scope of its credential (null for anonymous callers). */
export type Identity = {
  readonly kind: Actor['kind']
  readonly scope: Scope | null
  readonly credential_id: string | null
  readonly user_id: string | null
  readonly sees_all: boolean
  /** The credential is a cookie, which a browser sends by itself. */
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

/** The caller while a session or key cannot be read because the read tables are not ready. */
export const UNRESOLVED: Identity = { ...ANONYMOUS }

/** The id of a static token in the log: its scope and its position in the list, never its secret. */
export const staticTokenId = ({ scope, position }: Pick<StaticToken, 'scope' | 'position'>): string =>
  `static:${scope}:${position}`

/**
 * Resolves a credential to an identity, or null. `digest` is the result of `digestOf` for the credential. Credentials
 * of every kind are found by this digest.
 */
export type Resolve = (credential: string, digest: string) => Promise<Identity | null> | Identity | null

/**
 * SHA-256 of a credential, lower-case hex. Clients send secrets as UTF-8, but Node decodes headers as Latin-1. Encoding
 * the credential as Latin-1 again restores the bytes that the client sent.
 */
const digestOf = (credential: string): string => hash('sha256', Buffer.from(credential, 'latin1'), 'hex')

/** Maximum number of cached digests that match no static token. */
const MAX_UNMATCHED = 1_000

/** Resolvers of a credential in a header, in order (static token, API key, session), and of one in a cookie. */
export type Resolvers = { readonly inHeader: readonly Resolve[]; readonly inCookie: Resolve }

/**
 * Matches static tokens. Every token is compared, each in constant time over digests, so the time reveals nothing. If a
 * secret is listed twice, the highest scope counts.
 */
export const staticTokens = (tokens: readonly StaticToken[]): Resolve => {
  // The highest scope first. The sort is stable.
  const byScope = tokens
    .toSorted((a, b) => SCOPES.indexOf(b.scope) - SCOPES.indexOf(a.scope))
    .map((token) => ({
      digest: Buffer.from(hash('sha256', Buffer.from(token.secret), 'hex')),
      identity: identityOf(token),
    }))
  // Earlier results by digest: the tokens never change while the process runs. They are two instead of one cache with
  // `memo`, so that unknown credentials evict no known one.
  const matched = new Map<string, Identity>()
  const unmatched = new LRUCache<string, true>({ max: MAX_UNMATCHED })
  return (_credential, digest) => {
    const earlier = matched.get(digest)
    if (earlier) return earlier
    if (unmatched.has(digest)) return null
    const presented = Buffer.from(digest)
    let best: Identity | null = null
    for (const token of byScope) if (constantTimeEqual(token.digest, presented)) best ??= token.identity
    if (best) matched.set(digest, best)
    else unmatched.set(digest, true)
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
 * Reads the credential of a request and resolves it; a request without a valid one is anonymous. If there is a header,
 * it decides alone. The result is synchronous if the resolvers are, as for static tokens and cached credentials. If it
 * is a promise, further calls for the same request return the same promise.
 */
export const identifyWith = ({ inHeader, inCookie }: Resolvers): Identify => {
  const pending = new WeakMap<IncomingMessage, Promise<Identity>>()
  // A connection usually sends one credential repeatedly. This is the only place that stores credentials unencrypted; an
  // entry goes away with its connection.
  const lastOf = new WeakMap<object, { readonly credential: string; readonly digest: string }>()
  const digestBy = (socket: object, credential: string): string => {
    const last = lastOf.get(socket)
    if (last?.credential === credential) return last.digest
    const digest = digestOf(credential)
    lastOf.set(socket, { credential, digest })
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
    const started = pending.get(request)
    if (started) return started
    const identity = identify(request)
    if (identity instanceof Promise) pending.set(request, identity)
    return identity
  }
}

const sentByBrowser = (identity: Identity | null): Identity =>
  identity === null ? ANONYMOUS : identity === UNRESOLVED ? identity : { ...identity, by_cookie: true }

const resolved = (
  credential: string,
  digest: string,
  resolvers: readonly Resolve[],
  index: number,
): Promise<Identity> | Identity => {
  const resolve = resolvers[index]
  if (!resolve) return ANONYMOUS
  const identity = resolve(credential, digest)
  if (identity instanceof Promise)
    return identity.then((found) => found ?? resolved(credential, digest, resolvers, index + 1))
  return identity ?? resolved(credential, digest, resolvers, index + 1)
}

/** `Bearer x` or a bare value. */
const credentialOf = (header: string): string =>
  (header.startsWith('Bearer ') ? header.slice(7) : header.replace(/^bearer\s+/i, '')).trim()

/** The scope that a route requires in a mode: none in open mode, none for reads if only writes are protected. */
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

type ViewerParts = { readonly address: string | null; readonly needed: Scope | null; readonly mint: () => string }

/**
 * The viewer for queries and commands. A request id with unusual characters is returned to the client, but the log gets a
 * new one.
 */
export const viewerOf = (
  request: FastifyRequest,
  { kind, scope, credential_id, user_id, sees_all }: Identity,
  { address, needed, mint }: ViewerParts,
): Viewer => ({
  actor: { address, credential_id, kind, scope, user_id },
  request_id: LOGGED_ID.test(request.id) ? request.id : mint(),
  sees_all,
  needed,
})
