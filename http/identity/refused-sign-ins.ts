import type { SignInRefused } from '../../commands/session/events.ts'
import { SYSTEM, type Viewer } from '../../queries/access/viewer.ts'
import type { Services } from '../services.ts'

/**
 * Maximum number of attempts that are recorded one by one between two calls of `sumUp`. It is enough for a person who
 * forgot a password, not for one who guesses.
 */
const MAX_RECORDED = 30

type Refusal = Omit<SignInRefused['data'], 'count'>

export type RefusedSignIns = {
  /** `viewer` has the address of the attempt. */
  readonly record: (viewer: Viewer, refusal: Refusal) => Promise<void>
  readonly sumUp: () => Promise<void>
}

/**
 * Records refused sign-ins. A client that guesses passwords must not fill the log. Beyond `MAX_RECORDED` the attempts
 * are only counted, and `sumUp`, called once a minute, records the count.
 */
export const refusedSignIns = ({
  commit,
  mint,
}: Pick<Services, 'commit'> & { readonly mint: () => string }): RefusedSignIns => {
  let recorded = 0
  let unrecorded = 0
  return {
    record: async (viewer, refusal) => {
      if (recorded >= MAX_RECORDED) {
        unrecorded++
        return
      }
      recorded++
      await commit.refuseSignIn(viewer, { attempt_id: mint(), count: 1, ...refusal })
    },
    sumUp: async () => {
      const count = unrecorded
      recorded = 0
      unrecorded = 0
      if (count > 0) await commit.refuseSignIn(SYSTEM, { attempt_id: mint(), count, reason: 'many', user_id: null })
    },
  }
}
