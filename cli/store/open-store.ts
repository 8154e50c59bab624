import { existsSync } from 'node:fs'
import { noStoreIn } from '../../maintenance/no-store.ts'
import { UserError } from '../../maintenance/user-error.ts'
import type { OpenService } from '../../runtime/services.ts'
import { asUserError } from '../terminal/log-failure.ts'
import type { NamedStore } from './store-options.ts'

/**
 * Opens a store for changes: a state directory that no server uses, or a database. Throws `UserError` if there is no such
 * store, or if it cannot be opened.
 */
export const openStore = async (store: NamedStore): Promise<OpenService> => {
  // A mistyped folder must not become a new, empty store.
  if (store.kind === 'sqlite' && !existsSync(store.file)) throw new UserError(noStoreIn(store.dataDir))
  // Loaded on demand: help, and requests to a service, need no store modules.
  const { openService } = await import('../../runtime/open-service.ts')
  try {
    return await openService(store.kind === 'sqlite' ? { dataDir: store.dataDir } : { database: store })
  } catch (error) {
    throw asUserError(error)
  }
}
