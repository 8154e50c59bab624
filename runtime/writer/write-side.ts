import type { CommandName } from '../../commands/index.ts'
import type { Viewer } from '../../queries/access/viewer.ts'
import type { Recorded } from '../../storage/command.ts'
import type { SqliteWriter } from '../../storage/sqlite/storage.ts'
import type { Head } from '../../storage/storage.ts'

export type WriterOptions = {
  readonly instance: string
  readonly now: () => number
  readonly onCommitted: (head: Head, recorded: readonly Recorded[]) => void
  /** Called once the schema is current: from here on the store can be read, though not yet answered from. */
  readonly onMigrated?: () => void
  /** Called before a start rebuilds read tables that another version wrote, which can take long. */
  readonly onRebuild?: () => void
  /** Told what a start does before it is ready. */
  readonly log: (message: string, fields: Readonly<Record<string, unknown>>) => void
  readonly checkRows?: boolean
  /** Whether this build made the store a moment ago: then its schema is neither compared nor migrated. */
  readonly isNew?: boolean
}

export type SqliteWriterOptions = {
  readonly file: string
  /** Leaves read tables of another version as they are: for a rebuild, which makes them anew anyhow. */
  readonly asTheyAre?: boolean
}

export type Writer = {
  readonly commit: (name: CommandName, viewer: Viewer, args: never) => Promise<unknown>
  readonly head: () => Head | Promise<Head>
  readonly schema: number
  readonly close: () => Promise<void>
}

/** A write side with what its opening made anew: that is to be recorded. */
export type OpenedWriter = Writer & { readonly rebuilt: Rebuilt }

/** Read models that a start made anew. */
export type Rebuilt = Array<{ name: string; version: number; position: number }>

export type Opened = {
  readonly schema: number
  readonly writer: SqliteWriter
  readonly rebuilt: Rebuilt
  readonly close: () => void
}
