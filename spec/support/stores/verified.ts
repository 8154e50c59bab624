import { join } from 'node:path'
import { verifyDatabase, verifyLog } from '../../../maintenance/verify/log.ts'
import type { Verified } from '../../../maintenance/verify/log.ts'
import type { Opened } from './open-fresh.ts'

/** Returns what `ers verify` finds in the store of a service, on either storage. */
export const verified = ({ databaseUrl, dataDir }: Pick<Opened, 'databaseUrl' | 'dataDir'>): Promise<Verified> =>
  databaseUrl === null ? verifyLog(join(dataDir, 'service.db'), null) : verifyDatabase(databaseUrl, null)
