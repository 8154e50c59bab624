import { parentPort, workerData } from 'node:worker_threads'
import type { MessagePort } from 'node:worker_threads'
import type { CommandName } from '../../commands/index.ts'
import { invalidatedBy } from '../../commands/tags.ts'
import type { Invalidated } from '../../commands/tags.ts'
import type { Viewer } from '../../queries/access/viewer.ts'
import { Fenced, Superseded } from '../../storage/errors.ts'
import type { Store } from '../../storage/open/reader.ts'
import { openWriter } from '../writer/open-writer.ts'
import { answerCalls, notify } from './calls.ts'

// The writer thread: the only read-write connection of the process. It is handed raw bytes and does everything else
// itself.

export type WriterData = { readonly store: Store; readonly instance: string; readonly position: SharedArrayBuffer }
export type WriterCall =
  | { readonly name: CommandName; readonly viewer: Viewer; readonly args: never }
  | { readonly close: true }
  | { readonly head: true }
  | { readonly also: MessagePort }

/** What the writer tells of itself. `root` is lower-case hex. */
export type WriterMessage =
  | { readonly kind: 'migrated' }
  | { readonly kind: 'rebuilding' }
  | { readonly kind: 'ready'; readonly schema: number; readonly size: number; readonly root: string }
  | { readonly kind: 'log'; readonly message: string; readonly fields: Readonly<Record<string, unknown>> }
  | { readonly kind: 'moved'; readonly tags: readonly Invalidated[] | null; readonly position: number }
  | { readonly kind: 'fenced'; readonly message: string }

const port = parentPort
if (!port) throw new Error('the writer runs as a worker thread')
const { store, instance, position } = workerData as WriterData
const shared = new BigInt64Array(position)
const say = (told: WriterMessage): void => notify(port, told)

const side = await openWriter(store, {
  instance,
  now: Date.now,
  // Before anyone is answered and on the port of the answers, so that no read after an answer can miss it.
  onCommitted: ({ size }, recorded) => {
    Atomics.store(shared, 0, BigInt(size))
    if (recorded.length > 0) say({ kind: 'moved', tags: invalidatedBy(recorded), position: size })
  },
  onMigrated: () => say({ kind: 'migrated' }),
  onRebuild: () => say({ kind: 'rebuilding' }),
  log: (message, fields) => say({ kind: 'log', message, fields }),
})

const headText = async () => {
  const { size, root } = await side.head()
  return { size, root: root.toString('hex') }
}

const handle = async (call: WriterCall): Promise<unknown> => {
  if ('close' in call) return side.close()
  if ('head' in call) return headText()
  // What a preparer passes on is answered like everything else, behind what was told of the commit.
  if ('also' in call) return answerCalls(call.also, handle, port)
  try {
    return await side.commit(call.name, call.viewer, call.args)
  } catch (error) {
    // By name: what PostgreSQL throws is of a module that is not loaded without it. Told behind the answer, which the
    // end of the process would cut off.
    if (error instanceof Fenced || error instanceof Superseded)
      setImmediate(() => say({ kind: 'fenced', message: error.message }))
    throw error
  }
}
answerCalls(port, handle)

say({ kind: 'ready', schema: side.schema, ...(await headText()) })
