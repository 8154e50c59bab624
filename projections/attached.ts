import type { RunIngested } from '../commands/run/events.ts'
import type { PreparedRun } from '../domain/run/prepare.ts'
import type { Recorded } from '../storage/command.ts'

/** Returns the document of an ingest, which the commit or the replay attached. Throws if it is missing. */
export const attachedDocument = ({ attached, seq }: Recorded<RunIngested>): PreparedRun => {
  if (!attached) throw new Error(`event ${seq} is without its document`)
  return attached
}
