import type { ErasedPart } from '../../commands/erasure/erase-records.ts'
import type { ErasureTarget } from '../../commands/erasure/erasable.ts'
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
export type Erased = { readonly records: number; readonly kept: number; readonly documents: number }

/**
 * Erases records in as many commits as they need, and overwrites the erased bytes. An interrupted erasure can be repeated:
 * what was erased is passed over. Refuses what the command `eraseRecords` refuses. Throws `Unavailable` if the bytes could
 * not be overwritten; then a repetition does so.
 */
export const erase = async (
  { commit, wipe }: Pick<OpenService, 'commit' | 'wipe'>,
  viewer: Viewer,
  erasure: Erasure,
): Promise<Erased> => {
  const erased = { records: 0, kept: 0, documents: 0 }
  try {
    for (let after: number | null = 0; after !== null;) {
      const part: ErasedPart = await commit('eraseRecords', viewer, { ...erasure, after })
      erased.records += part.records
      erased.kept += part.kept
      erased.documents += part.documents
      after = part.next
    }
  } catch (error) {
    // It may be a repetition: the records were erased, but the bytes could not be overwritten.
    if (error instanceof Refused && error.reason === 'not_found' && !erasure.dry_run) await wipe()
    throw error
  }
  if (!erasure.dry_run) await wipe()
  return erased
}
