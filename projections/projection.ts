import type { DomainEvent, EVENTS } from '../commands/events.ts'
import type { EventName } from '../domain/proof/event-names.ts'
import type { Recorded } from '../storage/command.ts'
import type { Statement } from '../storage/storage.ts'

/** The types of events that name a read model. */
type Taken<Name extends string> = {
  [T in EventName]: Name extends Exclude<(typeof EVENTS)[T]['projections'], 'none'>[number] ? T : never
}[EventName]

/** One handler for each type that names the read model: one that is missing, or one too many, does not compile. */
type Handlers<Name extends string> = {
  readonly [T in Taken<Name>]: (recorded: Recorded<Extract<DomainEvent, { readonly type: T }>>) => readonly Statement[]
}

/** A read model: its tables, and the statements for each event. A handler reads only the event and its document. */
export type Projection = {
  readonly name: string
  /**
   * Raise it with every change of the tables' contents: the next start then builds them again from the log, while the
   * service reads the rows of the earlier version.
   */
  readonly version: number
  /** The oldest version whose rows this build can read; without it, of every version. */
  readonly readableFrom?: number
  /** The tables that only this read model writes: a rebuild recreates them. */
  readonly tables: readonly string[]
  /** What else a query can read these tables by: virtual tables and functions of the database. */
  readonly views?: readonly string[]
  /** The read models whose tables its handlers read. It runs after them, and they are built together. */
  readonly reads?: readonly string[]
  /** It reads no document, and keeps what is recorded of deleted runs: a replay passes their uploads too. */
  readonly readsNoDocument?: true
  readonly apply: (recorded: Recorded) => readonly Statement[]
}

type Description = Omit<Projection, 'apply'>

/** Creates a read model from its handlers. It ignores events of other types. */
export const projection = <Name extends string>(
  description: Description & { readonly name: Name },
  handlers: Handlers<Name>,
): Projection => {
  // The cast is safe, because a handler receives only events of its own type.
  const byType = new Map(
    Object.entries(handlers as unknown as Record<string, (recorded: Recorded) => readonly Statement[]>),
  )
  return { ...description, apply: (recorded) => byType.get(recorded.type)?.(recorded) ?? [] }
}
