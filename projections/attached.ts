import type { RunIngested } from '../commands/run/events.ts'
import type { PreparedRun } from '../domain/run/prepare.ts'
import type { Recorded } from '../storage/command.ts'

/** The document that an ingest names. The commit and the replay attach it; without it nothing can be projected. */
export const documentOf = ({ attached, seq }: Recorded<RunIngested>): PreparedRun => {
  if (!attached) throw new Error(`event ${seq} comes without its document`)
  return attached
}
