import type { NewEvent } from '../../storage/command.ts'
import { event, streamOf } from '../../storage/log/event.ts'
import { sql, statement } from '../../storage/sql.ts'
import type { Statement } from '../../storage/storage.ts'
import { saltedDigest } from '../credential.ts'
import type { EventTypes } from '../event-type.ts'
import { runTag } from '../tags.ts'
import { heldTag, holdTag } from './tags.ts'

/**
 * Stream `hold/<hold_id>`: a legal hold on one run, or on a suite of a project, or on a whole project (then `suite` is
 * null), with all runs to come. A hold on a run has neither project nor suite. `note_sha256` is the salted digest of the note;
 * null for no note. Older events do not have it.
 */
export type HoldPlaced = NewEvent<
  'HoldPlaced',
  {
    readonly hold_id: string
    readonly note_sha256?: string | null
    readonly project: string | null
    readonly reference: string
    readonly run_id: string | null
    readonly suite: string | null
  }
>
export type HoldLifted = NewEvent<'HoldLifted', { readonly hold_id: string; readonly reference: string }>
export type HoldEvent = HoldPlaced | HoldLifted

const shared = { change: 'nothing', erasure: 'facts', projections: ['holds'] } as const
export const HOLD_EVENTS = {
  // A hold changes what runs show. Only viewers of such a run notice it.
  HoldPlaced: {
    ...shared,
    tags: ({ data: { run_id, project, suite } }) => [
      ...(run_id === null ? [] : [runTag(run_id)]),
      ...(project === null ? [] : [heldTag(project, suite)]),
    ],
    digests: true,
  },
  HoldLifted: { ...shared, tags: ({ data }) => [holdTag(data.hold_id)], digests: false },
} as const satisfies EventTypes<HoldEvent>

/** The note is prose, so it is stored next to the log, with the salt of its digest. */
export const holdPlaced = (
  data: HoldPlaced['data'],
  note: { readonly text: string; readonly salt: string } | null = null,
): HoldPlaced => ({
  ...event(streamOf('hold', data.hold_id), 'HoldPlaced', {
    ...data,
    note_sha256: note === null ? null : saltedDigest(note.salt, note.text),
  }),
  statements:
    note === null
      ? []
      : [statement`INSERT INTO hold_notes (hold_id, note, salt) VALUES (${data.hold_id}, ${note.text}, ${note.salt})`],
})

/** The text of a row of `hold_notes` whose digest is in the event. */
export const noteText = sql.fragment`coalesce(salt, '') || ' ' || note`

/** Deletes the note of a hold with its salt: the digest in the log means nothing then. */
export const deleteNote = (hold_id: string): Statement => statement`DELETE FROM hold_notes WHERE hold_id = ${hold_id}`
export const holdLifted = (data: HoldLifted['data']): HoldLifted =>
  event(streamOf('hold', data.hold_id), 'HoldLifted', data)
