import { join } from 'node:path'
import type { Logger } from 'pino'
import { createSigner } from '../../runtime/proof/open-signer.ts'
import type { StartableSigner } from '../../runtime/proof/open-signer.ts'
import type { OpenService } from '../../runtime/services.ts'
import { openReader } from '../../storage/open/reader.ts'
import { signingGuardOf } from '../../storage/sqlite/signing-guard.ts'
import type { Config } from './config.ts'

type OpenedSigner = {
  /** Null if this service signs no checkpoints. */
  readonly signer: StartableSigner | null
  /** Closes what the signer reads from. */
  readonly closeReader: () => Promise<void>
}

/** Creates the signer of checkpoints. Warns if a database has no configured keys: then nothing is signed. */
export const openSigner = async (
  { checkpoints, database, dataDir }: Pick<Config, 'checkpoints' | 'database' | 'dataDir'>,
  { reader, commit, now }: Pick<OpenService, 'reader' | 'commit' | 'now'>,
  logger: Logger,
): Promise<OpenedSigner> => {
  if (checkpoints.keys === null && checkpoints.defaultKeyFile === null) {
    logger.warn(
      'checkpoints of the log are not signed, and runs have no receipts: all replicas need the same key in SERVICE_CHECKPOINT_KEY_FILE or SERVICE_CHECKPOINT_KEY, made by "ers log keygen"',
    )
    return { signer: null, closeReader: async () => {} }
  }
  const parts = { commit, now, logger, guardFile: database ? null : signingGuardOf(join(dataDir, 'service.db')) }
  if (!database?.readUrl)
    return { signer: createSigner(checkpoints, { ...parts, reader }), closeReader: async () => {} }
  // A standby may lack the newest checkpoint, and no checkpoint may be served after a larger one.
  const primary = await openReader({
    kind: 'postgres',
    url: database.url,
    readUrl: null,
    connections: PRIMARY_CONNECTIONS,
    statementTimeoutMs: database.statementTimeoutMs,
  })
  return {
    signer: createSigner(checkpoints, { ...parts, reader: primary }),
    closeReader: async () => primary.close(),
  }
}

const PRIMARY_CONNECTIONS = 4
