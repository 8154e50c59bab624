import { hash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { constantTimeEqual } from '@oslojs/crypto/subtle'
import type { FastifyRequest } from 'fastify'
import { Refused } from '../commands/refused.ts'
import type { Scope, Viewer } from '../queries/viewer.ts'
import type { Actor } from '../storage/storage.ts'
import type { AuthMode, StaticToken } from './services.ts'

const SCOPES: readonly Scope[] = ['read', 'write', 'admin']

/** Who a request comes from, and what its credential may do (null for anonymous callers). */
export type Identity = { readonly kind: Actor['kind']; readonly scope: Scope | null; readonly credential_id: string | null; readonly user_id: string | null; readonly sees_all: boolean }

const ANONYMOUS: Identity = { kind: 'anonymous', scope: null, credential_id: null, user_id: null, sees_all: false }

/** The id under which a static token acts: its scope and place in the list, never its secret. */
export const staticTokenId = ({ scope, position }: Pick<StaticToken, 'scope' | 'position'>): string => `static:${scope}:${position}`

/** Resolves a credential to an identity, or null. Kinds are asked in order: static token, then API key, then session. */
export type Resolve = (credential: string) => Promise<Identity | null> | Identity | null

/**
 * Matches static tokens. Every token is compared, each in constant time over digests, so neither the time nor the order
 * tells anything; of a secret listed twice the highest scope counts.
 */
export const staticTokens = (tokens: readonly StaticToken[]): Resolve => {
  const digest = (secret: Buffer): string => hash('sha256', secret, 'hex')
  // The highest scope first. Sorting keeps the order of the list among equals.
  const known = tokens
    .toSorted((a, b) => SCOPES.indexOf(b.scope) - SCOPES.indexOf(a.scope))
    .map((token) => ({ digest: Buffer.from(digest(Buffer.from(token.secret))), identity: identityOf(token) }))
  // Those that matched before, by their digest: never more than there are tokens.
  const met = new Map<string, Identity>()
  return (credential) => {
    // Node reads header bytes as Latin-1; a secret beyond ASCII is sent as its UTF-8.
    const presented = digest(Buffer.from(credential, 'latin1'))
    const before = met.get(presented)
    if (before) return before
    let best: Identity | null = null
    for (const each of known) if (constantTimeEqual(each.digest, Buffer.from(presented))) best ??= each.identity
    if (best) met.set(presented, best)
    return best
  }
}

const identityOf = (token: StaticToken): Identity => ({
  kind: 'static',
  scope: token.scope,
  credential_id: staticTokenId(token),
  user_id: null,
  sees_all: token.scope === 'admin',
})

export type Identify = (request: IncomingMessage) => Promise<Identity> | Identity

/**
 * Reads the credential of a request and resolves it; what resolves to nothing is anonymous. At once where the resolvers
 * answer at once, as they do for static tokens; those that do not are asked once for a request.
 */
export const identifying = (resolvers: readonly Resolve[]): Identify => {
  const asked = new WeakMap<IncomingMessage, Promise<Identity>>()
  return (request) => {
    const credential = credentialOf(request.headers.authorization)
    if (credential === null) return ANONYMOUS
    const before = asked.get(request)
    if (before) return before
    const identity = resolved(credential, resolvers, 0)
    if (identity instanceof Promise) asked.set(request, identity)
    return identity
  }
}

const resolved = (credential: string, resolvers: readonly Resolve[], at: number): Promise<Identity> | Identity => {
  const identity = resolvers[at]?.(credential)
  if (identity === undefined) return ANONYMOUS
  if (identity instanceof Promise) return identity.then((found) => found ?? resolved(credential, resolvers, at + 1))
  return identity ?? resolved(credential, resolvers, at + 1)
}

/** `Bearer x` or a bare value. */
const credentialOf = (header: string | undefined): string | null => {
  if (header === undefined) return null
  const value = (header.startsWith('Bearer ') ? header.slice(7) : header.replace(/^bearer\s+/i, '')).trim()
  return value === '' ? null : value
}

/** The scope a route needs in a mode: none in open mode, none for reads where only writes are protected. */
export const requiredScope = (mode: AuthMode, scope: Scope | null): Scope | null => {
  if (mode === 'open') return null
  return mode === 'protect-writes' && scope === 'read' ? null : scope
}

/** Whether someone's scope is enough. */
export const passes = (mode: AuthMode, needed: Scope | null, { scope }: Identity): boolean => {
  const required = requiredScope(mode, needed)
  return required === null || (scope !== null && SCOPES.indexOf(scope) >= SCOPES.indexOf(required))
}

/** The scope gate. Refuses: unauthenticated (no credential), forbidden (too weak). */
export const checkScope = (mode: AuthMode, needed: Scope | null, identity: Identity): void => {
  if (passes(mode, needed, identity)) return
  if (identity.scope === null) throw new Refused('unauthenticated', 'authentication required')
  throw new Refused('forbidden', `insufficient scope: ${needed} is needed`)
}

const LOGGED_ID = /^[A-Za-z0-9._-]{1,64}$/

/** The viewer that queries and commands are given. A request id of odd characters is echoed, but a minted one goes into the log. */
export const viewerOf = (request: FastifyRequest, { kind, scope, credential_id, user_id, sees_all }: Identity, mint: () => string): Viewer => ({
  actor: { address: request.socket.remoteAddress ?? null, credential_id, kind, scope, user_id },
  request_id: LOGGED_ID.test(request.id) ? request.id : mint(),
  sees_all,
})
