import type { RunSet } from '../../domain/sets.ts'
import { byCodePoint } from '../../domain/text/code-point-order.ts'
import { findLevel } from '../../queries/access/levels.ts'
import type { Viewer } from '../../queries/access/viewer.ts'
import { findRunToAnnotate } from '../../queries/runs/annotations.ts'
import { command } from '../command.ts'
import { newSalt } from '../credential.ts'
import { Refused, refuseWithoutUpload } from '../refused.ts'
import { MAX_ADDED_TAGS } from './annotation-fields.ts'
import { runAnnotated, type Added } from './events.ts'

/** A change of what a run has in addition to its document. A text that is undefined stays; null removes it. */
export type AnnotationChange = {
  readonly title?: string | null | undefined
  readonly note?: string | null | undefined
  readonly add_tags: readonly string[]
  readonly remove_tags: readonly string[]
  /** The revision that the caller saw, null for none; undefined for a change that fits any. */
  readonly revision?: string | null | undefined
}

const NOTHING: Added = { title: null, note: null, tags: [] }

const changed = ({ title, note, tags }: Added, change: AnnotationChange, ofDocument: readonly string[]): Added => ({
  title: change.title === undefined ? title : change.title,
  note: change.note === undefined ? note : change.note,
  tags: [...new Set([...tags, ...change.add_tags])]
    .filter((tag) => !change.remove_tags.includes(tag) && !ofDocument.includes(tag))
    .sort(byCodePoint),
})

/**
 * Changes the title, the note and the tags that a run has in addition to its document. Records nothing if nothing changes. `set` is the
 * set of the run as it was read before the lock. Refuses: not_found, forbidden (no upload level), conflict (another revision),
 * unprocessable (too many tags).
 */
export const annotateRun = (
  viewer: Viewer,
  {
    annotation_id,
    run_id,
    set,
    salt = newSalt(),
    ...change
  }: AnnotationChange & {
    readonly annotation_id: string
    readonly run_id: string
    readonly set: RunSet
    /** Random hex for the digest of the texts; drawn if it is not given. */
    readonly salt?: string
  },
) =>
  command(viewer, {
    facts: { level: findLevel(viewer, set), run: findRunToAnnotate(viewer, run_id) },

    decide({ level, run: found }) {
      if (found?.project !== set.project || found.suite !== set.suite) throw new Refused('not_found', 'run not found')
      refuseWithoutUpload(level)
      const { run_no, added, ...run } = found
      if (change.revision !== undefined && change.revision !== (added?.revision ?? null))
        throw new Refused('conflict', 'title, note or tags were changed meanwhile: read them again')
      const before: Added = added ?? NOTHING
      const after = changed(before, change, run.tags)
      if (after.tags.length > MAX_ADDED_TAGS)
        throw new Refused(
          'unprocessable',
          `add_tags: a run can have ${MAX_ADDED_TAGS} added tags, and would have ${after.tags.length}`,
        )
      const isSame =
        after.title === before.title && after.note === before.note && after.tags.join('\0') === before.tags.join('\0')
      return isSame ? [] : [runAnnotated({ annotation_id, run_no }, { added: after, run }, salt)]
    },
  })
