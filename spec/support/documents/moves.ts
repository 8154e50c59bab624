import { openMover, type Mover, type MoveStep } from '../../../runtime/moves/mover.ts'
import { findLogIdentity } from '../../../storage/log/head.ts'
import type { S3Store } from '../../../storage/objects/s3/store.ts'
import { bucketOf } from '../s3/buckets.ts'
import type { SpecApp } from '../servers/app.ts'

type Options = {
  readonly holder?: string
  readonly bucket?: S3Store
  readonly observe?: (step: MoveStep) => void
}

/** Moves documents of an app into its bucket and back, as the task of a replica does. */
export const moverOf = (
  { service, services: { partStore } }: Pick<SpecApp, 'service' | 'services'>,
  url: string,
  { holder = 'spec', ...options }: Options = {},
): Mover => {
  const { reader, commit, now } = service
  const bucket = bucketOf(url, { identity: async () => reader.read(findLogIdentity) })
  return openMover({ reader, commit, now, holder, bucket, partStore, ...options })
}

/** Moves all documents that wait. Returns how many. */
export const moveAll = async ({ moveWaiting }: Mover): Promise<number> => {
  let moved = 0
  for (;;) {
    const moves = await moveWaiting(new AbortController().signal)
    if (moves === null) return moved
    for (const { error } of moves.failed) throw error
    moved += moves.moved
  }
}
