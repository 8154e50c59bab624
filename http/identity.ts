import { createHash } from 'node:crypto'
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
  const digest = (secret: Buffer): Uint8Array => createHash('sha256').update(secret).digest()
  const known = tokens.map((token) => ({ token, digest: digest(Buffer.from(token.secret)) }))
  return (credential) => {
    // Node reads header bytes as Latin-1; a secret beyond ASCII is sent as its UTF-8.
    const presented = digest(Buffer.from(credential, 'latin1'))
    const matching = known.filter((each) => constantTimeEqual(each.digest, presented)).map(({ token }) => token)
    const best = matching.toSorted((a, b) => SCOPES.indexOf(b.scope) - SCOPES.indexOf(a.scope))[0]
    return best ? { kind: 'static', scope: best.scope, credential_id: staticTokenId(best), user_id: null, sees_all: best.scope === 'admin' } : null
  }
}

/** Reads the credential of a request and resolves it. Never rejects: what resolves to nothing is anonymous. */
export const identify = async (request: FastifyRequest, resolvers: readonly Resolve[]): Promise<Identity> => {
  const credential = credentialOf(request.headers.authorization)
  if (credential === null) return ANONYMOUS
  for (const resolve of resolvers) {
    const identity = await resolve(credential)
    if (identity) return identity
  }
  return ANONYMOUS
}

/** `Bearer x` or a bare value. */
const credentialOf = (header: string | undefined): string | null => {
  if (header === undefined) return null
  const value = header.replace(/^bearer\s+/i, '').trim()
  return value === '' ? null : value
}

/** The scope a route needs in a mode: none in open mode, none for reads where only writes are protected. */
export const requiredScope = (mode: AuthMode, scope: Scope | null): Scope | null => {
  if (mode === 'open') return null
  return mode === 'protect-writes' && scope === 'read' ? null : scope
}

/** The scope gate. Refuses: unauthenticated (no credential), forbidden (too weak). */
export const checkScope = (mode: AuthMode, needed: Scope | null, { scope }: Identity): void => {
  const required = requiredScope(mode, needed)
  if (required === null) return
  if (scope === null) throw new Refused('unauthenticated', 'authentication required')
  if (SCOPES.indexOf(scope) < SCOPES.indexOf(required)) throw new Refused('forbidden', `insufficient scope: ${required} is needed`)
}

const LOGGED_ID = /^[A-Za-z0-9._-]{1,64}$/

/** The viewer that queries and commands are given. A request id of odd characters is echoed, but a minted one goes into the log. */
export const viewerOf = (request: FastifyRequest, { kind, scope, credential_id, user_id, sees_all }: Identity, mint: () => string): Viewer => ({
  actor: { address: request.socket.remoteAddress ?? null, credential_id, kind, scope, user_id },
  request_id: LOGGED_ID.test(request.id) ? request.id : mint(),
  sees_all,
})
