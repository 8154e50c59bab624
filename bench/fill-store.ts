import { CLI } from '../queries/access/viewer.ts'
import { openService } from '../runtime/open-service.ts'

const BATCH = 200

/** Stores runs in a data directory without HTTP. `documentOf` returns the n-th document. */
export const fillStore = async (dataDir: string, count: number, documentOf: (n: number) => string): Promise<void> => {
  const service = await openService({ dataDir })
  for (let stored = 0; stored < count;) {
    const batch = Array.from(
      { length: Math.min(BATCH, count - stored) },
      () => new Uint8Array(Buffer.from(documentOf(stored++))),
    )
    await Promise.all(batch.map((body) => service.commit.ingestRun(CLI, { body, encoding: null })))
  }
  await service.close()
}
