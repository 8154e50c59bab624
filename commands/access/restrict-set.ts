import type { SetScope } from '../../domain/sets.ts'
import { findRestricted } from '../../queries/access/access.ts'
import type { Viewer } from '../../queries/access/viewer.ts'
import { command } from '../command.ts'
import { refuseDotNames } from '../dot-names.ts'
import { setRestricted } from './events.ts'

/**
 * Hides a project, suites of later included, or one suite from everyone without a grant. There need not be a run of it.
 * Silent when it is restricted. Refuses: unprocessable (a name of dots alone).
 */
export const restrictSet = (viewer: Viewer, { project, suite }: SetScope) =>
  command(viewer, {
    facts: { restricted: findRestricted({ project, suite }) },

    decide({ restricted }) {
      refuseDotNames({ project, suite })
      return restricted ? [] : [setRestricted({ project, suite })]
    },
  })
