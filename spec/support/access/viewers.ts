import type { Viewer } from '../../../queries/access/viewer.ts'

/** A caller with the write scope who sees everything that is not restricted. */
export const member: Viewer = {
  actor: { address: '192.0.2.7', credential_id: 'static:write:1', kind: 'static', scope: 'write', user_id: null },
  request_id: 'request-1',
  sees_all: false,
  needed: null,
}

/** A caller who sees everything. */
export const admin: Viewer = {
  ...member,
  actor: { ...member.actor, credential_id: 'static:admin:2', scope: 'admin' },
  sees_all: true,
}
