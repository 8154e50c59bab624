import { join } from 'node:path'
import { verifyDatabase, verifyLog } from '../../cli/verify-log.ts'
import type { Verified } from '../../cli/verify-log.ts'
import type { Opened } from './opened.ts'

/** What `ers verify` finds in the store of a service, on either storage. */
export const verified = ({ databaseUrl, dataDir }: Pick<Opened, 'databaseUrl' | 'dataDir'>): Promise<Verified> =>
  databaseUrl === null ? verifyLog(join(dataDir, 'service.db'), null) : verifyDatabase(databaseUrl, null)
