import { findLevel } from '../../queries/access/levels.ts'
import type { Viewer } from '../../queries/access/viewer.ts'
import { listStoredRuns } from '../../queries/log/erasable.ts'
import { findRubricState } from '../../queries/reviews/rubrics.ts'
import { countOpenQueues, isRestricted, listAccountsNamed } from '../../queries/reviews/queue-state.ts'
import { command } from '../command.ts'
import { refuseDotNames } from '../dot-names.ts'
import { Refused, refuseWithoutUpload } from '../refused.ts'
import { RUBRIC_RETIRED } from '../rubric/change-rubric.ts'
import { reviewersChanged, reviewQueueOpened, type ReviewQueueOpened } from './events.ts'
import { accountsOf, peopleChange, refuseAdding, type NewPerson } from './people.ts'

/** Open queues of a suite, at most. */
export const MAX_OPEN_QUEUES = 200
export const MAX_PER_ITEM = 5

/**
 * Opens a queue over a sample that was drawn before the lock; runs never change, so it is still right if they are stored. The rubric
 * is its newest version. Refuses: not_found (the rubric, a run that was deleted meanwhile), forbidden (no upload level, or who may not
 * add these people), conflict (a retired rubric, too many open queues), unprocessable.
 */
export const openReviewQueue = (
  viewer: Viewer,
  { people, ...opened }: Omit<ReviewQueueOpened['data'], 'rubric_version'> & { readonly people: readonly NewPerson[] },
) => {
  const { queue_id, project, suite, rubric_id, per_item, runs } = opened
  const set = { project, suite }
  return command(viewer, {
    facts: {
      level: findLevel(viewer, set),
      rubric: findRubricState(viewer, rubric_id),
      accounts: listAccountsNamed(people.map(({ name }) => name)),
      stored: listStoredRuns(runs.map(({ run_no }) => run_no)),
      queues: countOpenQueues(set),
      restricted: isRestricted(set),
    },

    decide({ level, rubric, accounts, stored, queues, restricted }) {
      refuseDotNames(set)
      refuseWithoutUpload(level)
      if (rubric?.project !== project || rubric.suite !== suite) throw new Refused('not_found', 'rubric not found')
      if (rubric.retired_at !== null) throw new Refused('conflict', RUBRIC_RETIRED)
      const prefers = rubric.questions.some(({ kind }) => kind === 'preference')
      if (prefers !== (opened.selection.kind === 'pairs'))
        throw new Refused(
          'unprocessable',
          prefers
            ? 'selection: a preference is between pairs: choose the kind pairs'
            : 'selection: pairs need a rubric that asks for a preference',
        )
      if (runs.some(({ run_no }) => !stored.has(run_no))) throw new Refused('not_found', 'run not found')
      if (queues >= MAX_OPEN_QUEUES)
        throw new Refused('conflict', `a suite has at most ${MAX_OPEN_QUEUES} open queues: close one first`)
      const added = accountsOf(people, accounts)
      const reviewers = added.filter(({ role }) => role === 'reviewer').length
      if (reviewers < per_item)
        throw new Refused(
          'unprocessable',
          `per_item: ${per_item} labels a case need as many reviewers, not ${reviewers}`,
        )
      refuseAdding(viewer, added, { level, isRestricted: restricted, isOpened: false })
      const change = peopleChange(queue_id, [], added, [])
      return [
        reviewQueueOpened({ ...opened, rubric_version: rubric.version }),
        ...(change ? [reviewersChanged(change)] : []),
      ]
    },
  })
}
