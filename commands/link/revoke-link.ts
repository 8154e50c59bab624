import { findIsLink } from '../../queries/access/account-links.ts'
import type { Viewer } from '../../queries/access/viewer.ts'
import { command } from '../command.ts'
import { Refused } from '../refused.ts'
import { linkRevoked } from './events.ts'

/** Ends an invite or a reset link that was not used, also one that has expired. Refuses: not_found. */
export const revokeLink = (viewer: Viewer, { link_id }: { readonly link_id: string }) =>
  command(viewer, {
    facts: { isLink: findIsLink(link_id) },

    decide({ isLink }) {
      if (!isLink) throw new Refused('not_found', 'link not found')
      return [linkRevoked({ link_id })]
    },
  })
