import { findLink, isUsable } from '../../queries/access/account-links.ts'
import type { Viewer } from '../../queries/access/viewer.ts'
import { userChanged } from '../account/events.ts'
import { command } from '../command.ts'
import { sessionsEnded } from '../session/events.ts'
import { unusableLink } from './accept-invite.ts'
import { linkUsed } from './events.ts'

/** `at` is the present time of the system clock, in epoch milliseconds. */
type Reset = { readonly secret_sha256: string; readonly password_hash: string; readonly at: number }

/** Sets the password of the account of a link, and ends all its sessions. It signs no one in. Refuses: not_found (the link cannot be used). */
export const resetPassword = (viewer: Viewer, { secret_sha256, password_hash, at }: Reset) =>
  command(viewer, {
    facts: { link: findLink('reset', secret_sha256) },

    decide({ link }) {
      if (!link || !isUsable(link, at)) throw unusableLink()
      const { link_id, user_id } = link
      return [
        linkUsed({ link_id }),
        userChanged({ disabled: null, password_replaced: true, role: null, user_id }, password_hash),
        sessionsEnded({ except: null, user_id }),
      ]
    },
  })
