import type { RunIngested } from '../commands/run/events.ts'
import type { StoredRun } from '../commands/run/stored-run.ts'
import type { ErasedRecord, EventErased } from '../commands/erasure/events.ts'
import type { Recorded } from '../storage/command.ts'

/** Returns the prepared document that the commit or the replay attached to an ingest event. Throws if it is missing. */
export const attachedDocument = ({ attached, seq }: Recorded<RunIngested>): StoredRun => {
  if (!attached) throw new Error(`event ${seq} has no attached document`)
  return attached
}

/** Returns the erased record that the commit or the replay attached to its erasure. Throws if it is missing. */
export const attachedRecord = ({ attached, seq }: Recorded<EventErased>): ErasedRecord => {
  if (!attached) throw new Error(`event ${seq} has no attached record`)
  return attached
}
