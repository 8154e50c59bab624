import type { NewEvent } from '../../storage/command.ts'
import { event, streamOf } from '../../storage/log/event.ts'
import type { EventTypes } from '../event-type.ts'
import { badgeTag } from '../tags.ts'

/**
 * Stream `badge/<project>/<suite>`: keys that open the image of a suite, and nothing else. `key_sha256` is the SHA-256 of the
 * key, in lower-case hex: the key itself is random, and is stored nowhere. A restriction of the suite, or of its project,
 * revokes all its keys without a further event.
 */
export type BadgeKeyMinted = NewEvent<
  'BadgeKeyMinted',
  { readonly key_sha256: string; readonly project: string; readonly suite: string }
>
/** All keys of a suite were revoked. */
export type BadgeKeysRevoked = NewEvent<'BadgeKeysRevoked', { readonly project: string; readonly suite: string }>
export type BadgeEvent = BadgeKeyMinted | BadgeKeysRevoked

const shared = { change: 'nothing', erasure: 'facts', digests: false, projections: ['badge_keys'] } as const
export const BADGE_EVENTS = {
  BadgeKeyMinted: { ...shared, tags: () => [] },
  BadgeKeysRevoked: { ...shared, tags: ({ data }) => [badgeTag(data.project, data.suite)] },
} as const satisfies EventTypes<BadgeEvent>

export const badgeKeyMinted = (data: BadgeKeyMinted['data']): BadgeKeyMinted =>
  event(streamOf('badge', data.project, data.suite), 'BadgeKeyMinted', data)
export const badgeKeysRevoked = (data: BadgeKeysRevoked['data']): BadgeKeysRevoked =>
  event(streamOf('badge', data.project, data.suite), 'BadgeKeysRevoked', data)
