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
  /** Raise it with every change of the tables' contents: the next start then rebuilds them from the log. */
  readonly version: number
  /** The tables that only this read model writes: a rebuild recreates them. */
  readonly tables: readonly string[]
  /** It reads no document, and keeps what is recorded of deleted runs: a replay passes their uploads too. */
  readonly readsNoDocument?: true
  readonly apply: (recorded: Recorded) => readonly Statement[]
}

type Description = Pick<Projection, 'name' | 'version' | 'tables' | 'readsNoDocument'>

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
