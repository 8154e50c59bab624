import type { SetScope } from '../../domain/sets.ts'
import { findRestricted } from '../../queries/access/access.ts'
import type { Viewer } from '../../queries/access/viewer.ts'
import { command } from '../command.ts'
import { refuseDotNames } from '../dot-names.ts'
import { setRestricted } from './events.ts'

/**
 * Restricts one suite, or a whole project with all its suites, future ones included. Users without a grant then no
 * longer see it, except admins. The suite or project need not have a run yet. Records nothing if it is restricted
 * already. Refuses: unprocessable (a name is `.` or `..`).
 */
export const restrictSet = (viewer: Viewer, { project, suite }: SetScope) =>
  command(viewer, {
    facts: { restricted: findRestricted({ project, suite }) },

    decide({ restricted }) {
      refuseDotNames({ project, suite })
      return restricted ? [] : [setRestricted({ project, suite })]
    },
  })
