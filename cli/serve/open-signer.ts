import { join } from 'node:path'
import type { Logger } from 'pino'
import { createSigner, type StartableSigner } from '../../runtime/proof/open-signer.ts'
import type { OpenService } from '../../runtime/services.ts'
import { signingGuardOf } from '../../storage/sqlite/signing-guard.ts'
import type { Config } from './config.ts'

/**
 * Creates the signer of checkpoints. `reader` must not read from a standby: no checkpoint may be served after a larger one.
 * Null if this service signs none; warns then, because a database has no configured keys.
 */
export const openSigner = (
  { checkpoints, database, dataDir }: Pick<Config, 'checkpoints' | 'database' | 'dataDir'>,
  { reader, commit, now }: Pick<OpenService, 'reader' | 'commit' | 'now'>,
  logger: Logger,
): StartableSigner | null => {
  if (checkpoints.keys === null && checkpoints.defaultKeyFile === null) {
    logger.warn(
      'checkpoints of the log are not signed, and runs have no receipts: all replicas need the same key in SERVICE_CHECKPOINT_KEY_FILE or SERVICE_CHECKPOINT_KEY, made by "ers log keygen"',
    )
    return null
  }
  const guardFile = database ? null : signingGuardOf(join(dataDir, 'service.db'))
  return createSigner(checkpoints, { reader, commit, now, logger, guardFile })
}
