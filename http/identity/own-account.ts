import { accountRequired } from '../../commands/key/mint-key.ts'
import type { Viewer } from '../../queries/access/viewer.ts'

/** Refuses: forbidden. A static token or an anonymous caller has no account that could own something. */
export const checkAccount = ({ actor }: Viewer): void => {
  if (actor.user_id === null) throw accountRequired()
}
