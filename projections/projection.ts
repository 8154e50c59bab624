import type { NewEvent, Recorded } from '../storage/command.ts'
import type { Statement } from '../storage/storage.ts'

/** One handler per event type: a type left out does not compile. */
type Handlers<E extends NewEvent> = {
  readonly [T in E['type']]: (recorded: Recorded<Extract<E, { readonly type: T }>>) => readonly Statement[]
}

/**
 * A read model: its tables, and the statements each event brings. It knows its event and the document it names, and
 * nothing else.
 */
export type Projection = {
  readonly name: string
  /** Raised with every change of what the tables hold: a start then rebuilds them from the log. */
  readonly version: number
  /** The tables that it alone writes: a rebuild makes them anew. */
  readonly tables: readonly string[]
  readonly types: readonly string[]
  readonly apply: (recorded: Recorded) => readonly Statement[]
}

type Described = { readonly name: string; readonly version: number; readonly tables: readonly string[] }

/** Binds handlers to a read model. Events of other types pass it by. */
export const projection = <E extends NewEvent>(described: Described, handlers: Handlers<E>): Projection => {
  // Safe: a handler is only ever given the event whose type names it.
  const byType = new Map(
    Object.entries(handlers as unknown as Record<string, (recorded: Recorded) => readonly Statement[]>),
  )
  return { ...described, types: [...byType.keys()], apply: (recorded) => byType.get(recorded.type)?.(recorded) ?? [] }
}
