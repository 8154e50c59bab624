import type { SetScope } from '../../domain/sets.ts'
import { findRestricted } from '../../queries/access/access.ts'
import type { Viewer } from '../../queries/access/viewer.ts'
import { command } from '../command.ts'
import { Refused } from '../refused.ts'
import { restrictionLifted } from './events.ts'

/**
 * Lifts the restriction of exactly this scope; grants remain. Refuses: not_found (this scope itself is not
 * restricted; for a suite, a restriction of its project does not count).
 */
export const liftRestriction = (viewer: Viewer, { project, suite }: SetScope) =>
  command(viewer, {
    facts: { restricted: findRestricted({ project, suite }) },

    decide({ restricted }) {
      if (!restricted) throw new Refused('not_found', 'restriction not found')
      return [restrictionLifted({ project, suite })]
    },
  })
