import type { SetScope } from '../../domain/sets.ts'
import { findRestricted } from '../../queries/access/access.ts'
import type { Viewer } from '../../queries/access/viewer.ts'
import { command } from '../command.ts'
import { refuseDotNames } from '../dot-names.ts'
import { setRestricted } from './events.ts'

/**
 * Hides a project with all its suites, future ones included, or one suite from all users without a grant. It need not
 * have a run. Records nothing if it is restricted already. Refuses: unprocessable (a dot name).
 */
export const restrictSet = (viewer: Viewer, { project, suite }: SetScope) =>
  command(viewer, {
    facts: { restricted: findRestricted({ project, suite }) },

    decide({ restricted }) {
      refuseDotNames({ project, suite })
      return restricted ? [] : [setRestricted({ project, suite })]
    },
  })
