import type { RunIngested } from '../commands/run/events.ts'
import type { PreparedRun } from '../domain/run/prepare.ts'
import type { Recorded } from '../storage/command.ts'

/** Returns the prepared document that the commit or the replay attached to an ingest event. Throws if it is missing. */
export const attachedDocument = ({ attached, seq }: Recorded<RunIngested>): PreparedRun => {
  if (!attached) throw new Error(`event ${seq} has no attached document`)
  return attached
}
