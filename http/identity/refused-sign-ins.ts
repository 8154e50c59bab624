import type { SignInRefused } from '../../commands/session/events.ts'
import { SYSTEM } from '../../queries/access/viewer.ts'
import type { Viewer } from '../../queries/access/viewer.ts'
import type { Services } from '../services.ts'

/**
 * Attempts between two summaries that are told one by one: somebody who forgot a password, not somebody who guesses.
 */
const MAX_RECORDED = 30

type Refusal = Omit<SignInRefused['data'], 'count'>

/**
 * Records refused sign-ins. Whoever guesses passwords must not fill the log with it: beyond a number the rest is
 * counted, and `sumUp`, called once a minute, records the count.
 */
export const refusedSignIns = ({ commit, mint }: Pick<Services, 'commit'> & { readonly mint: () => string }) => {
  let told = 0
  let untold = 0
  return {
    /** `viewer` tells where the attempt came from. */
    record: async (viewer: Viewer, refusal: Refusal): Promise<void> => {
      if (told >= MAX_RECORDED) {
        untold++
        return
      }
      told++
      await commit('refuseSignIn', viewer, { attempt_id: mint(), count: 1, ...refusal })
    },
    sumUp: async (): Promise<void> => {
      const count = untold
      told = 0
      untold = 0
      if (count > 0) await commit('refuseSignIn', SYSTEM, { attempt_id: mint(), count, reason: 'many', user_id: null })
    },
  }
}
