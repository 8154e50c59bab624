import { ownAccount } from '../../commands/own-account.ts'
import type { Viewer } from '../../queries/access/viewer.ts'

/**
 * Refuses: forbidden. A static token or an anonymous caller has no account that could own something, and a limited key may not
 * use its account.
 */
export const checkAccount = (viewer: Viewer): void => void ownAccount(viewer)
