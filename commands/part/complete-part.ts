import { findStaged, listStagedPieces, stagedBy } from '../../queries/evidence/staged.ts'
import type { Viewer } from '../../queries/access/viewer.ts'
import { statement } from '../../storage/sql.ts'
import { command } from '../command.ts'
import { Refused } from '../refused.ts'
import { dropStaged, uploadDropped } from './staging.ts'

type CheckedPart = { readonly sha256: string; readonly part_no: number; readonly isRight: boolean }

type Pieces = ReadonlyArray<{ readonly object_id: string }>
const objectsOf = (pieces: Pieces): string[] => pieces.map(({ object_id }) => object_id)

/**
 * Ends the upload of a part whose pieces were all read back: it is complete if they had the digest, else it is dropped. Returns the objects
 * that were dropped. Refuses: conflict.
 */
export const completePart = (viewer: Viewer, { sha256, part_no, isRight }: CheckedPart) => {
  const actor = stagedBy(viewer)
  return command(viewer, {
    facts: { staged: findStaged(viewer, sha256), pieces: listStagedPieces(viewer, sha256) },
    decide({ staged }) {
      // It was dropped, or dropped and begun again, while its pieces were read.
      if (staged?.part_no !== part_no) throw uploadDropped()
      return []
    },
    writes: ({ staged }) => {
      if (isRight)
        return [statement`UPDATE staged_parts SET complete = 1 WHERE actor = ${actor} AND sha256 = ${sha256}`]
      return staged?.complete === 1 ? [] : dropStaged(actor, sha256)
    },
    result: (_recorded, { staged, pieces }) => (isRight || staged?.complete === 1 ? [] : objectsOf(pieces)),
  })
}

/** Drops what the viewer has sent of a part that no run names. Returns its objects. Refuses: not_found. */
export const dropUpload = (viewer: Viewer, { sha256 }: { readonly sha256: string }) =>
  command(viewer, {
    facts: { staged: findStaged(viewer, sha256), pieces: listStagedPieces(viewer, sha256) },
    decide({ staged }) {
      if (staged === null) throw new Refused('not_found', 'upload not found')
      return []
    },
    writes: () => dropStaged(stagedBy(viewer), sha256),
    result: (_recorded, { pieces }) => objectsOf(pieces),
  })
