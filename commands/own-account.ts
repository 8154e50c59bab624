import type { Viewer } from '../queries/access/viewer.ts'
import { Refused } from './refused.ts'

const accountRequired = (): Refused => new Refused('forbidden', 'a user account is required')

/**
 * The account of the viewer, whose things it may read and change. A limited key may not: they concern more than its limit, and
 * a key that it made would outlive it. Refuses: forbidden.
 */
export const ownAccount = ({ actor, limit }: Pick<Viewer, 'actor' | 'limit'>): string => {
  if (actor.user_id === null) throw accountRequired()
  if (limit) throw new Refused('forbidden', 'this API key is limited to a project or suite: it cannot use its account')
  return actor.user_id
}
