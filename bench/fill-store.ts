import { CLI } from '../queries/access/viewer.ts'
import { openService } from '../runtime/open-service.ts'
import type { DatabaseStore } from '../storage/open/reader.ts'

const BATCH = 200

/** Stores runs in a data directory or a database, without HTTP. `documentOf` returns the n-th document. */
export const fillStore = async (
  store: string | DatabaseStore,
  count: number,
  documentOf: (n: number) => string,
): Promise<void> => {
  const service = await openService(typeof store === 'string' ? { dataDir: store } : { database: store })
  for (let stored = 0; stored < count;) {
    const batch = Array.from(
      { length: Math.min(BATCH, count - stored) },
      () => new Uint8Array(Buffer.from(documentOf(stored++))),
    )
    await Promise.all(batch.map((body) => service.commit.ingestRun(CLI, { body, encoding: null })))
  }
  await service.close()
}
