import type { Route } from '../route.ts'
import { createInviteRoute } from './create-invite.ts'
import { listAccountLinksRoute } from './list-account-links.ts'
import { revokeAccountLinkRoute } from './revoke-account-link.ts'

/** Invites and links for a new password, for admins. A link for a new password is made at its account. */
export const linkRoutes: readonly Route[] = [listAccountLinksRoute, createInviteRoute, revokeAccountLinkRoute]
