import type { FastifyContextConfig, FastifyRequest } from 'fastify'
import { reaches, type Limit, type Scope, type Viewer } from '../../queries/access/viewer.ts'
import type { Actor } from '../../storage/command.ts'
import type { AuthMode } from '../services.ts'

/** The caller of a request, and the scope of its credential (null for anonymous callers). */
export type Identity = {
  readonly kind: Actor['kind']
  readonly scope: Scope | null
  readonly credential_id: string | null
  readonly user_id: string | null
  readonly sees_all: boolean
  /** Set for a limited API key. */
  readonly limit: Limit | null
  /** The credential is a cookie, which a browser sends by itself. */
  readonly by_cookie: boolean
}

export const ANONYMOUS: Identity = {
  kind: 'anonymous',
  scope: null,
  credential_id: null,
  user_id: null,
  sees_all: false,
  limit: null,
  by_cookie: false,
}

/** The scope that a route requires in a mode: none in open mode, none for reads if only writes are protected. */
export const requiredScope = (mode: AuthMode, scope: Scope | null): Scope | null => {
  if (mode === 'open') return null
  return mode === 'protect-writes' && scope !== null && reaches('read', scope) ? null : scope
}

/** Why a scope is not enough: there is no credential, or its scope is too low. */
export type ScopeRefusal = 'unauthenticated' | 'forbidden'

/** Why a caller may not use a route with these rules, or null. */
export const findScopeRefusal = (
  mode: AuthMode,
  { scope: needed = null, authenticated }: Pick<FastifyContextConfig, 'scope' | 'authenticated'>,
  { scope }: Identity,
): ScopeRefusal | null => {
  const required = requiredScope(mode, needed)
  const isEnough = required === null || (scope !== null && reaches(scope, required))
  if (scope === null && (authenticated === true || !isEnough)) return 'unauthenticated'
  return isEnough ? null : 'forbidden'
}

/** The messages of the two refusals. */
export const CREDENTIAL_REQUIRED = 'authentication required'
export const insufficientScope = (needed: Scope): string => `insufficient scope: ${needed} is needed`

const LOGGED_ID = /^[A-Za-z0-9._-]{1,64}$/

type ViewerParts = { readonly address: string | null; readonly needed: Scope | null; readonly mint: () => string }

/**
 * The viewer for queries and commands. A request id with unusual characters is returned to the client, but the log gets a
 * new one.
 */
export const viewerOf = (
  request: FastifyRequest,
  { kind, scope, credential_id, user_id, sees_all, limit }: Identity,
  { address, needed, mint }: ViewerParts,
): Viewer => ({
  actor: { address, credential_id, kind, scope, user_id },
  request_id: LOGGED_ID.test(request.id) ? request.id : mint(),
  sees_all,
  limit,
  needed,
})
