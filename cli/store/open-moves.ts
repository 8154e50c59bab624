import { UserError } from '../../maintenance/user-error.ts'
import { openPartStore } from '../../runtime/evidence/part-store.ts'
import { openMover, type Mover } from '../../runtime/moves/mover.ts'
import { openService } from '../../runtime/open-service.ts'
import { findLogIdentity } from '../../storage/log/head.ts'
import { countInBucket } from '../../storage/objects/rows.ts'
import { openS3Store } from '../../storage/objects/s3/store.ts'
import type { Reader } from '../../storage/storage.ts'
import { namedLocation } from './named-bucket.ts'
import type { NamedStore } from './store-options.ts'

/** A store and its bucket, for moves between them. */
export type OpenMoves = {
  readonly reader: Reader
  readonly mover: Mover
  readonly close: () => Promise<void>
}

/** Nothing is uploaded here. */
const NO_UPLOADS = { maxBytes: 0, maxRunBytes: 0, staged: { maxBytes: 0, maxParts: 0, hours: 24 } }

/** Opens a store and the bucket that SERVICE_OBJECT_STORE_URL names. Throws `UserError`. */
export const openMoves = async (
  store: NamedStore,
  env: Readonly<Record<string, string | undefined>>,
): Promise<OpenMoves> => {
  const location = namedLocation(env)
  if (location === null) throw new UserError('name the bucket: set SERVICE_OBJECT_STORE_URL to it, as for the service')
  const service = await openService({
    ...(store.kind === 'sqlite' ? { dataDir: store.dataDir } : { database: store }),
    bucket: location,
  })
  const { reader, commit, now, instance } = service
  const bucket = openS3Store({
    ...location,
    identity: async () => reader.read(findLogIdentity),
    isUsed: async () => (await reader.read(countInBucket)) > 0,
  })
  const partStore = openPartStore({ reader, commit, now, partsFolder: null, bucket }, NO_UPLOADS)
  return {
    reader,
    mover: openMover({ reader, commit, now, holder: instance, bucket, partStore }),
    close: async () => {
      bucket.close()
      await service.close()
    },
  }
}
