import { join } from 'node:path'
import { verifyDatabase, verifyLog, type Verified, type VerifyOptions } from '../../../maintenance/verify/log.ts'
import type { FreshService } from './open-fresh.ts'

/** Returns what `ers verify` finds in the store of a service, on either storage. */
export const verifyStore = (
  { databaseUrl, dataDir }: Pick<FreshService, 'databaseUrl' | 'dataDir'>,
  options: VerifyOptions = {},
): Promise<Verified> =>
  databaseUrl === null
    ? verifyLog(join(dataDir, 'service.db'), null, undefined, options)
    : verifyDatabase(databaseUrl, null, undefined, options)
