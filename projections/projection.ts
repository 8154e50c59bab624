import type { NewEvent, Recorded } from '../storage/command.ts'
import type { Statement } from '../storage/storage.ts'

/** One handler per event type: if one is missing, the code does not compile. */
type Handlers<E extends NewEvent> = {
  readonly [T in E['type']]: (recorded: Recorded<Extract<E, { readonly type: T }>>) => readonly Statement[]
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
  readonly types: readonly string[]
  readonly apply: (recorded: Recorded) => readonly Statement[]
}

type Description = Pick<Projection, 'name' | 'version' | 'tables' | 'readsNoDocument'>

/** Creates a read model from its handlers. It ignores events of other types. */
export const projection = <E extends NewEvent>(description: Description, handlers: Handlers<E>): Projection => {
  // The cast is safe, because a handler receives only events of its own type.
  const byType = new Map(
    Object.entries(handlers as unknown as Record<string, (recorded: Recorded) => readonly Statement[]>),
  )
  return { ...description, types: [...byType.keys()], apply: (recorded) => byType.get(recorded.type)?.(recorded) ?? [] }
}
