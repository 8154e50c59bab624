import type { Actor } from '../storage/storage.ts'

export type Scope = 'read' | 'write' | 'admin'

/** Who asks: every query and every command takes one. */
export type Viewer = {
  readonly actor: Actor
  readonly request_id: string | null
  /** Admins by role and static tokens at admin scope see every run set. */
  readonly sees_all: boolean
}

/** The service acting by itself: start, retention. */
export const SYSTEM: Viewer = {
  actor: { address: null, credential_id: null, kind: 'system', scope: 'admin', user_id: null },
  request_id: null,
  sees_all: true,
}

/** The command line working on a state directory that no server holds: whoever owns the files is an admin. */
export const CLI: Viewer = { ...SYSTEM, actor: { ...SYSTEM.actor, kind: 'cli' } }
