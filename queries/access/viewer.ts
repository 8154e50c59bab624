import type { Actor } from '../../storage/command.ts'

/** What a credential may do, each including the ones before it. */
export const SCOPES = ['read', 'write', 'admin'] as const
export type Scope = (typeof SCOPES)[number]

export const ROLES = ['admin', 'member', 'viewer'] as const
export type Role = (typeof ROLES)[number]

/** The most that a credential of an account of each role may do. */
export const CEILING: Readonly<Record<Role, Scope>> = { admin: 'admin', member: 'write', viewer: 'read' }

/** Whether a scope includes another; nobody's scope includes none. */
export const reaches = (scope: Scope | null, wanted: Scope): boolean =>
  scope !== null && SCOPES.indexOf(scope) >= SCOPES.indexOf(wanted)

/** The lower of two scopes. */
export const lowerOf = (a: Scope, b: Scope): Scope => (reaches(a, b) ? b : a)

/** Who asks: every query and every command takes one. */
export type Viewer = {
  readonly actor: Actor
  readonly request_id: string | null
  /** Admins by role and static tokens at admin scope see every run set. */
  readonly sees_all: boolean
  /** The scope that the way here asked for; null where none was needed. A command asks again under the lock. */
  readonly needed: Scope | null
}

/** The service acting by itself: start, retention. */
export const SYSTEM: Viewer = {
  actor: { address: null, credential_id: null, kind: 'system', scope: 'admin', user_id: null },
  request_id: null,
  sees_all: true,
  needed: null,
}

/** The command line working on a state directory that no server holds: whoever owns the files is an admin. */
export const CLI: Viewer = { ...SYSTEM, actor: { ...SYSTEM.actor, kind: 'cli' } }
