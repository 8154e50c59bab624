import type { ErasedPart } from '../../commands/erasure/erase-records.ts'
import type { ErasureTarget } from '../../commands/erasure/erasable.ts'
import { isName } from '../../domain/run/readers.ts'
import { Refused } from '../../commands/refused.ts'
import type { Viewer } from '../../queries/access/viewer.ts'
import type { OpenService } from '../services.ts'

export type Erasure = {
  readonly erasure_id: string
  readonly reference: string
  readonly target: ErasureTarget
  /** Only counts. */
  readonly dry_run: boolean
}

/** How many records were erased, of how many of them facts were kept, and how many documents were deleted. */
export type Erased = {
  readonly records: number
  readonly kept: number
  readonly documents: number
  /** Parts of evidence that were erased, and those that stay because another run has them. */
  readonly parts: number
  readonly shared_parts: number
  /** Sealed objects whose keys were erased, and whose bytes are still to be removed: nothing opens them any more. */
  readonly objects_pending: number
}

/** Whether the ids of a target are such as a run or an account can have. No query finds others. */
const isNamed = (target: ErasureTarget): boolean =>
  'seqs' in target || isName('run_id' in target ? target.run_id : target.user_id)

/**
 * Erases records in as many commits as they need, and overwrites the erased bytes. An interrupted erasure can be repeated:
 * what was erased is passed over. Refuses what the command `eraseRecords` refuses of any record, before the first is
 * erased. Throws `Unavailable` if the bytes could not be overwritten; then a repetition does so.
 */
export const erase = async (
  { commit, wipe }: Pick<OpenService, 'commit' | 'wipe'>,
  viewer: Viewer,
  erasure: Erasure,
): Promise<Erased> => {
  if (!isNamed(erasure.target))
    throw new Refused('not_found', 'run_id' in erasure.target ? 'run not found' : 'user not found')
  let isBegun = false
  const eraseAll = async (dry_run: boolean): Promise<Erased> => {
    const erased = { records: 0, kept: 0, documents: 0, parts: 0, shared_parts: 0, objects_pending: 0 }
    for (let after: number | null = 0; after !== null;) {
      const part: ErasedPart = await commit.eraseRecords(viewer, { ...erasure, dry_run, after })
      isBegun ||= !dry_run
      erased.records += part.records
      erased.kept += part.kept
      erased.documents += part.documents
      erased.parts += part.partsEnd.parts
      erased.shared_parts += part.partsEnd.shared_parts
      erased.objects_pending += part.partsEnd.objects
      after = part.next
    }
    return erased
  }
  try {
    // Every commit is decided before the first one.
    const planned = await eraseAll(true)
    if (erasure.dry_run) return planned
  } catch (error) {
    // It may be a repetition: the records were erased, but the bytes could not be overwritten. Else a wipe does nothing.
    if (error instanceof Refused && error.reason === 'not_found' && !erasure.dry_run) await wipe()
    throw error
  }
  try {
    return await eraseAll(false)
  } finally {
    // Also if another writer made a later commit impossible: what the earlier ones erased is gone.
    if (isBegun) await wipe()
  }
}
