import type { RunListItem } from '../../../queries/runs/run-list.ts'
import { safeLink } from '../../text/safe-link.ts'
import { visibleLine } from '../../text/visible-text.ts'

/** Number of characters of a commit that are shown. */
const SHORT_COMMIT = 8

/**
 * The origin of a run, for a row: branch, short commit with `*` for uncommitted changes, user, and the CI's name with
 * its address.
 */
export const provenanceOf = (
  run: Pick<
    RunListItem,
    'git_branch' | 'git_commit' | 'git_dirty' | 'actor' | 'uploaded_by' | 'ci_provider' | 'ci_run_url'
  >,
) => ({
  branch: run.git_branch === null ? null : visibleLine(run.git_branch),
  commit:
    run.git_commit === null
      ? null
      : `${visibleLine(run.git_commit).slice(0, SHORT_COMMIT)}${run.git_dirty === true ? '*' : ''}`,
  actor: run.actor === null ? (run.uploaded_by === null ? null : visibleLine(run.uploaded_by)) : visibleLine(run.actor),
  ci: run.ci_provider === null ? null : { name: visibleLine(run.ci_provider), href: safeLink(run.ci_run_url) },
})
