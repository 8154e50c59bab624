import { resolve } from 'node:path'
import { Refused } from '../../commands/refused.ts'
import { prepareUpload } from '../../commands/run/ingest-run.ts'
import { CLI } from '../../queries/access/viewer.ts'
import { openService } from '../../runtime/open-service.ts'
import type { OpenOptions } from '../../runtime/open-service.ts'
import { Unavailable } from '../../storage/errors.ts'
import { TransientError, withRetries } from '../client/backoff.ts'
import type { Patience } from '../client/backoff.ts'
import { addressOfDatabase } from '../store/store-options.ts'
import type { NamedDatabase } from '../store/store-options.ts'
import type { ImportTarget, Outcome } from './target.ts'

/**
 * Documents go straight into a state directory, as by an upload. Throws `StateDirectoryTaken` while a server holds it.
 */
export const stateDirectoryTarget = (dataDir: string, patience: Patience): Promise<ImportTarget> =>
  storeTarget({ dataDir }, resolve(dataDir), patience)

/** The same into a database, beside whatever servers use it. Throws `Unavailable` when it cannot be reached. */
export const databaseTarget = (database: NamedDatabase, patience: Patience): Promise<ImportTarget> =>
  storeTarget({ database }, addressOfDatabase(database), patience)

/** This thread reads, parses and compresses documents while the writer thread records those before. */
const storeTarget = async (
  at: Pick<OpenOptions, 'dataDir' | 'database'>,
  name: string,
  patience: Patience,
): Promise<ImportTarget> => {
  let broken: Error | null = null
  const service = await openService({ ...at, threads: true, readers: 0, onFatal: (error) => void (broken ??= error) })
  await service.whenReady
  const attempt = async ({ bytes, gzip }: { bytes: Uint8Array; gzip: boolean }): Promise<Outcome> => {
    try {
      if (broken) throw broken
      const upload = await prepareUpload(service.reader, { body: bytes, encoding: gzip ? 'gzip' : null })
      // What is known was there when this document came, whatever becomes of it later.
      if (upload.kind === 'known') return { kind: 'already_there' }
      const { pending, ...prepared } = upload
      await pending
      const { created } = await service.commit('ingestPrepared', CLI, prepared)
      return { kind: created ? 'imported' : 'already_there' }
    } catch (error) {
      // Without its writer thread there is no use in trying again.
      if (broken) throw broken
      if (error instanceof Refused) return { kind: 'refused', status: error.reason, reason: error.message }
      if (error instanceof Unavailable) throw new TransientError(error.message, { cause: error })
      throw error
    }
  }
  return {
    name,
    send: async (document) => {
      try {
        return await withRetries(() => attempt(document), patience)
      } catch (error) {
        if (!(error instanceof TransientError)) throw error
        return { kind: 'failed', status: 'unavailable', reason: error.message }
      }
    },
    close: async () => {
      // What broke it was told; the lock and the other threads are let go of all the same.
      await service.close().catch((error: unknown) => {
        if (!broken) throw error
      })
    },
  }
}
