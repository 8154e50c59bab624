import { Refused } from '../../commands/refused.ts'
import type { Viewer } from '../../queries/access/viewer.ts'

/**
 * Refuses a read that can name restricted sets to a viewer who does not see all of them, whatever the authentication
 * mode is. Refuses: forbidden.
 */
export const checkSeesAll = ({ sees_all }: Viewer, read = 'this read'): void => {
  if (!sees_all) throw new Refused('forbidden', `insufficient scope: ${read} is for admins`)
}
