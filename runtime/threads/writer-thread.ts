import type { MessagePort } from 'node:worker_threads'
import type { CommandArguments, CommandName, CommandResult } from '../../commands/commit.ts'
import { publishedChanges } from '../../commands/changes.ts'
import { invalidatedBy } from '../../commands/invalidated.ts'
import type { Invalidated } from '../../commands/tags.ts'
import type { Viewer } from '../../queries/access/viewer.ts'
import { Fenced, Superseded } from '../../storage/errors.ts'
import type { Store } from '../../storage/open/reader.ts'
import { projections } from '../../projections/index.ts'
import { missingTables, type Model } from '../../storage/missing-tables.ts'
import type { Batch } from '../change-feed.ts'
import { openWriter } from '../writer/open-writer.ts'
import type { Writer } from '../writer/writer.ts'
import { collectGarbage } from './collect-garbage.ts'
import { answerCalls, notify, threadOwner } from './calls.ts'
import { threadData } from './preload.ts'
import { startBatchReader } from './replay.ts'

// The writer thread has the only read-write connection of the process. An upload arrives as raw bytes, and all
// work on it is done in this thread, unless the preparer thread has already done the first part.

export type WriterData = {
  readonly store: Store
  readonly instance: string
  readonly position: SharedArrayBuffer
  /** The buffer of the missing read models. */
  readonly missing: SharedArrayBuffer
}
/** The messages that the thread sends to its owner. `root` is lower-case hex. */
export type WriterMessage =
  | { readonly kind: 'migrated' }
  | {
      readonly kind: 'ready'
      readonly schema: number
      readonly size: number
      readonly root: string
      readonly models: readonly Model[]
    }
  | { readonly kind: 'log'; readonly message: string; readonly fields: Readonly<Record<string, unknown>> }
  | { readonly kind: 'committed'; readonly tags: readonly Invalidated[] | null; readonly batch: Batch }
  | { readonly kind: 'fenced'; readonly message: string }

const { port } = threadOwner()
const post = (message: WriterMessage): void => notify(port, message)

/** Posted after the answer: the owner ends the process on this message, so an answer sent later would be lost. */
const postFence = (error: unknown): void => {
  if (error instanceof Fenced || error instanceof Superseded)
    setImmediate(() => post({ kind: 'fenced', message: error.message }))
}

const answersOf = (writer: Writer) => {
  const answers = {
    commit: <N extends CommandName>(name: N, viewer: Viewer, args: CommandArguments<N>): Promise<CommandResult<N>> => {
      const committed = writer.commit[name](viewer, args)
      committed.catch(postFence)
      return committed
    },
    head: async () => {
      const { size, root } = await writer.head()
      return { size, root: root.toString('hex') }
    },
    wipe: writer.wipe,
    close: writer.close,
    collectGarbage,
    /** Also answers the calls that a preparer forwards through a port, after the notification of their commit. */
    acceptCallsFrom: (other: MessagePort): void => answerCalls(other, answers, port),
  }
  return answers
}
export type WriterCalls = ReturnType<typeof answersOf>

const models = projections.map(({ name, version, readableFrom = 0, tables, views = [] }) => ({
  name,
  version,
  readableFrom,
  tables,
  views,
}))

const start = async (): Promise<void> => {
  const { store, instance, position, missing } = await threadData<WriterData>()
  const sharedPosition = new BigInt64Array(position)
  const writer = await openWriter(store, {
    instance,
    now: Date.now,
    hasReserve: true,
    // Posted before the answer and on the same port, so that no read after the answer can miss it.
    onCommitted: ({ size }, recorded) => {
      Atomics.store(sharedPosition, 0, BigInt(size))
      if (recorded.length === 0) return
      const batch = { from: size - recorded.length, to: size, changes: publishedChanges(recorded) }
      post({ kind: 'committed', tags: invalidatedBy(recorded), batch })
    },
    onMigrated: () => post({ kind: 'migrated' }),
    openBatchReader: () => startBatchReader(store),
    missing: missingTables(projections, missing),
    log: (message, fields) => post({ kind: 'log', message, fields }),
  })
  const answers = answersOf(writer)
  answerCalls(port, answers)
  post({ kind: 'ready', schema: writer.schema, models, ...(await answers.head()) })
}
// The built program runs as CommonJS, which cannot wait here. A rejection ends the thread with its error.
void start()
