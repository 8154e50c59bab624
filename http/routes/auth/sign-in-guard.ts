import { newIds } from '../../identity/ids.ts'
import { refusedSignIns } from '../../identity/refused-sign-ins.ts'
import { signInThrottle } from '../../identity/sign-in-throttle.ts'
import type { Services } from '../../services.ts'
import type { App } from '../route.ts'

/** How often refused sign-ins are summed up, for the event log and the service log. */
const SUMMARY_MS = 60_000

export type SignInGuard = ReturnType<typeof openSignInGuard>

/**
 * What guards against guessing. Signing in and changing a password share it, so both together get no more attempts than
 * one. Refusals are summed up each minute, and when the app closes.
 */
export const openSignInGuard = (app: App, { commit, now, logger }: Services) => {
  const mint = newIds()
  const throttle = signInThrottle({ now })
  const refused = refusedSignIns({ commit, mint })
  // Anyone can make sign-ins through a provider fail. They must not use up what is recorded of passwords.
  const refusedThroughProviders = refusedSignIns({ commit, mint })
  const summary = async (): Promise<void> => {
    const counted = throttle.refusals()
    if (counted) logger.info(counted, 'sign-ins were refused')
    for (const { sumUp } of [refused, refusedThroughProviders])
      await sumUp().catch((error: unknown) => logger.error({ err: error }, 'refused sign-ins could not be summed up'))
  }
  const timer = setInterval(() => void summary(), SUMMARY_MS).unref()
  app.addHook('onClose', async () => {
    clearInterval(timer)
    await summary()
  })
  return { throttle, refused, refusedThroughProviders }
}
