import type { Services } from '../../services.ts'
import type { App, Route } from '../route.ts'
import { ssoRoutes } from '../sso/index.ts'
import { changePasswordByLinkRoute } from './change-password-by-link.ts'
import { changePasswordRoute } from './change-password.ts'
import { createFirstAccountRoute } from './create-first-account.ts'
import { createInvitedAccountRoute } from './create-invited-account.ts'
import { endOtherSessionsRoute } from './end-other-sessions.ts'
import { endSessionRoute } from './end-session.ts'
import { findInviteRoute } from './find-invite.ts'
import { findResetLinkRoute } from './find-reset-link.ts'
import { getMeRoute } from './get-me.ts'
import { listOwnSessionsRoute } from './list-own-sessions.ts'
import { openSignInGuard } from './sign-in-guard.ts'
import { signInRoute } from './sign-in.ts'
import { signOutRoute } from './sign-out.ts'

/** The first account, signing in and out, and the caller's own account and sessions. */
export const authRoutes = async (app: App, services: Services): Promise<readonly Route[]> => {
  const guard = openSignInGuard(app, services)
  return [
    createFirstAccountRoute,
    signInRoute(guard),
    changePasswordRoute(guard),
    findInviteRoute(guard),
    createInvitedAccountRoute(guard),
    findResetLinkRoute(guard),
    changePasswordByLinkRoute(guard),
    ...(await ssoRoutes(services, guard.refusedThroughProviders)),
    signOutRoute,
    getMeRoute,
    listOwnSessionsRoute,
    endOtherSessionsRoute,
    endSessionRoute,
  ]
}
