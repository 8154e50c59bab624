import { ulid } from 'ulid'
import { publishedChanges } from '../commands/changes.ts'
import { invalidatedBy } from '../commands/invalidated.ts'
import { EXPORTERS } from '../interchange/exporters/index.ts'
import { LABEL_WRITERS } from '../interchange/exporters/label-table.ts'
import { projections } from '../projections/index.ts'
import { runLongReadStep } from '../queries/long-reads.ts'
import { documentReader } from '../queries/runs/documents.ts'
import { cacheLocationOf, openCacheReader } from '../storage/open/cache.ts'
import { storeObjects } from '../storage/open/objects.ts'
import { openReader, type Store } from '../storage/open/reader.ts'
import { changeFeed } from './change-feed.ts'
import { openCallBudget } from './call-budget.ts'
import { followSharedLog } from './follow-shared-log.ts'
import { runInSteps } from './reads/in-steps.ts'
import { responseCache } from './response-cache.ts'
import { collectGarbage } from './threads/collect-garbage.ts'
import type { OpenOptions, OpenService } from './services.ts'
import { openWriter } from './writer/open-writer.ts'
import type { WriterOptions } from './writer/writer.ts'

/** Opens the service on a store without threads: writes and long reads run in the calling thread. */
export const openInProcess = async (
  store: Store,
  { dataDir = '.', database, now = Date.now, log = () => {}, checkRows = false, isNew = false }: OpenOptions,
): Promise<OpenService> => {
  const instance = ulid()
  const cache = responseCache({}, undefined, now)
  const changes = changeFeed()
  let position = 0
  const onCommitted: WriterOptions['onCommitted'] = ({ size }, recorded) => {
    position = size
    if (store.kind !== 'sqlite') return
    cache.invalidate(invalidatedBy(recorded))
    if (recorded.length > 0)
      changes.publish({ from: size - recorded.length, to: size, changes: publishedChanges(recorded) })
  }
  const writer = await openWriter(store, { instance, now, onCommitted, log, checkRows, isNew })
  const seenPosition = new BigInt64Array(1)
  const sharedLog = await followSharedLog(store, { cache, changes, seenPosition })
  const reader = await openReader(store, {
    checkRows,
    neededPosition: () => Math.max(position, Number(seenPosition[0])),
  })
  const readObject = storeObjects(store, reader)
  const documents = documentReader(reader, readObject)
  const entries = openCacheReader(reader, store, cacheLocationOf({ dataDir, database }), { checkRows })
  const callBudget = openCallBudget(store, now)
  return {
    reader,
    documents,
    commit: writer.commit,
    longReads: runInSteps((name, viewer, args, _signal, resumed) =>
      runLongReadStep(
        {
          reader,
          cache: entries.reader,
          documents,
          exporters: EXPORTERS,
          labelWriters: LABEL_WRITERS,
          readObject,
          viewer,
        },
        name,
        args,
        resumed,
      ),
    ),
    warmReads: (read) => read(),
    releaseMemory: async () => collectGarbage(),
    cache,
    changes,
    position: () => Math.max(position, sharedLog?.position() ?? 0),
    caughtUp: () => sharedLog?.caughtUp(),
    cacheGeneration: () => sharedLog?.cacheGeneration() ?? 0,
    head: async () => {
      const { size, root } = await writer.head()
      return { size, root: root.toString('hex') }
    },
    wipe: writer.wipe,
    callBudget,
    instance,
    now,
    schema: writer.schema,
    models: projections,
    close: async () => {
      // Closes the writer last: only a connection that may write removes the write-ahead log, so that one complete file
      // remains.
      await callBudget.close()
      await sharedLog?.close()
      await entries.close()
      await reader.close()
      await writer.close()
    },
  }
}
