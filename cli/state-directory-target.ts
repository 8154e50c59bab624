import { resolve } from 'node:path'
import { Refused } from '../commands/refused.ts'
import { CLI } from '../queries/viewer.ts'
import { Unavailable } from '../storage/storage.ts'
import { Transient, withRetries } from './backoff.ts'
import type { Patience } from './backoff.ts'
import type { ImportTarget, Outcome } from './import-target.ts'
import { openService } from './open-service.ts'

/** Documents go straight into a state directory, by the same command as an upload. Throws `StateDirectoryTaken` while a server holds it. */
export const stateDirectoryTarget = async (dataDir: string, patience: Patience): Promise<ImportTarget> => {
  const service = await openService({ dataDir })
  const attempt = async ({ bytes, gzip }: { bytes: Uint8Array; gzip: boolean }): Promise<Outcome> => {
    try {
      // The bytes may be transferred away, and are needed once more when the store is busy.
      const { created } = await service.commit('ingestRun', CLI, { body: new Uint8Array(bytes), encoding: gzip ? 'gzip' : null })
      return { kind: created ? 'imported' : 'already_there' }
    } catch (error) {
      if (error instanceof Refused) return { kind: 'refused', status: error.reason, reason: error.message }
      if (error instanceof Unavailable) throw new Transient(error.message, { cause: error })
      throw error
    }
  }
  return {
    name: resolve(dataDir),
    send: async (document) => {
      try {
        return await withRetries(() => attempt(document), patience)
      } catch (error) {
        if (!(error instanceof Transient)) throw error
        return { kind: 'failed', status: 'unavailable', reason: error.message }
      }
    },
    close: service.close,
  }
}
