import type { RunSet, SetScope } from '../../domain/sets.ts'
import type { Actor } from '../../storage/command.ts'

/** What a credential may do. Each scope includes the scopes before it. `review`: only label the cases of queues in which it is listed. */
export const SCOPES = ['review', 'read', 'write', 'admin'] as const
export type Scope = (typeof SCOPES)[number]

export const ROLES = ['admin', 'member', 'viewer', 'reviewer'] as const
export type Role = (typeof ROLES)[number]

/** The highest scope that a credential of an account may have, by role. */
export const CEILING: Readonly<Record<Role, Scope>> = {
  admin: 'admin',
  member: 'write',
  viewer: 'read',
  reviewer: 'review',
}

/** Whether a scope includes another; null includes none. */
export const reaches = (scope: Scope | null, wanted: Scope): boolean =>
  scope !== null && SCOPES.indexOf(scope) >= SCOPES.indexOf(wanted)

/** The lower of two scopes. */
export const lowerOf = (a: Scope, b: Scope): Scope => (reaches(a, b) ? b : a)

/**
 * The project, or the one suite, to which an API key is limited: everything else is absent for its bearer. `all`: within the
 * limit it sees everything, because its account is an admin.
 */
export type Limit = SetScope & { readonly all: boolean }

/** Whether a set is within a limit. A whole project (suite null) is not within the limit of one of its suites. */
export const isWithin = (limit: SetScope, { project, suite }: RunSet): boolean =>
  project === limit.project && (limit.suite === null || suite === limit.suite)

/** The highest scope of a limited key: what needs more concerns the whole service. */
export const LIMITED_CEILING: Scope = 'write'

/** The caller of a query or a command. */
export type Viewer = {
  readonly actor: Actor
  readonly request_id: string | null
  /** Admins by role and static tokens at admin scope see every run set. */
  readonly sees_all: boolean
  /** Set for a limited API key. Its `sees_all` is false, whatever its account may see. */
  readonly limit?: Limit | null
  /** The scope that the route requires, or null. A command checks it again under the lock. */
  readonly needed: Scope | null
}

/** A caller without its credential: a sign-in acts as an anonymous caller, whatever the request presents. */
export const asAnonymous = (viewer: Viewer): Viewer => ({
  ...viewer,
  actor: { address: viewer.actor.address, credential_id: null, kind: 'anonymous', scope: null, user_id: null },
  sees_all: false,
  limit: null,
  needed: null,
})

/** The viewer of the service's own work, such as its start and retention. */
export const SYSTEM: Viewer = {
  actor: { address: null, credential_id: null, kind: 'system', scope: 'admin', user_id: null },
  request_id: null,
  sees_all: true,
  needed: null,
}

/** The viewer of the command line on a state directory that no server uses: the owner of the files is an admin. */
export const CLI: Viewer = { ...SYSTEM, actor: { ...SYSTEM.actor, kind: 'cli' } }
