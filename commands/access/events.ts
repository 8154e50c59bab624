import type { Level } from '../../queries/access/levels.ts'
import type { NewEvent } from '../../storage/command.ts'
import { event, streamOf } from '../../storage/log/event.ts'
import type { EventTypes } from '../event-type.ts'
import { ACCESS } from '../tags.ts'

type Scope = { readonly project: string; readonly suite: string | null }
type UserScope = Scope & { readonly user_id: string }

/** Stream `access/<project>`: who may see and change a project (suite null) or one suite of it. */
export type SetRestricted = NewEvent<'SetRestricted', Scope>
export type RestrictionLifted = NewEvent<'RestrictionLifted', Scope>
/**
 * A new grant, or another level for an existing one: a user has at most one grant per scope. `provider` is the identity provider
 * whose groups gave it at a sign-in, `link_id` the invite that its account was made with; a grant by a person has neither.
 */
export type AccessGranted = NewEvent<
  'AccessGranted',
  UserScope & { readonly level: Level; readonly link_id?: string; readonly provider?: string }
>
/** `groups`: at a sign-in, no group of the provider gave the grant any more. */
export type AccessRevoked = NewEvent<
  'AccessRevoked',
  UserScope & { readonly cause: 'request' | 'user_deleted' | 'groups'; readonly provider?: string }
>
export type AccessEvent = SetRestricted | RestrictionLifted | AccessGranted | AccessRevoked

const shared = { tags: () => [ACCESS], change: 'access', digests: false, projections: ['access'] } as const
export const ACCESS_EVENTS = {
  SetRestricted: { ...shared, erasure: 'facts', projections: ['access', 'badge_keys'] },
  RestrictionLifted: { ...shared, erasure: 'facts' },
  AccessGranted: { ...shared, erasure: 'account' },
  AccessRevoked: { ...shared, erasure: 'account end' },
} as const satisfies EventTypes<AccessEvent>

const stream = ({ project }: Scope): string => streamOf('access', project)

export const setRestricted = (data: SetRestricted['data']): SetRestricted => event(stream(data), 'SetRestricted', data)
export const restrictionLifted = (data: RestrictionLifted['data']): RestrictionLifted =>
  event(stream(data), 'RestrictionLifted', data)
export const accessGranted = (data: AccessGranted['data']): AccessGranted => event(stream(data), 'AccessGranted', data)
export const accessRevoked = (data: AccessRevoked['data']): AccessRevoked => event(stream(data), 'AccessRevoked', data)
