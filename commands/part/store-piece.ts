import {
  findStaged,
  findStagedBefore,
  listStagedPieces,
  stagedBy,
  type StagedPart,
} from '../../queries/evidence/staged.ts'
import type { Viewer } from '../../queries/access/viewer.ts'
import {
  dropObject,
  endObject,
  findLastPartNo,
  findObjectState,
  insertPartObject,
  insertParts,
  setLastPartNo,
} from '../../storage/objects/rows.ts'
import { command } from '../command.ts'
import { Refused } from '../refused.ts'
import {
  insertStaged,
  refuseBeyond,
  refuseOtherTotal,
  touchStaged,
  type PartSize,
  type StagedLimits,
} from './staging.ts'

type StorePiece = PartSize & {
  readonly object_id: string
  readonly lengths: readonly number[]
  /** The number of the piece, and its raw bytes. */
  readonly n: number
  readonly bytes: number
  readonly at: number
  readonly limits: StagedLimits
}

/** What is stored of a part after a piece. */
export type PieceStored = {
  readonly part_no: number
  /** Raw bytes of all pieces. */
  readonly received: number
  /** All pieces are there. Unless `isComplete`, their digest is not checked yet. */
  readonly isAll: boolean
  readonly isComplete: boolean
  /** Objects that were dropped: the piece, if it was there already. */
  readonly dropped: readonly string[]
}

/**
 * Adds an object whose bytes are durable to the upload of a part. One that is there already is dropped: all bytes of an upload are stored
 * first, so that no answer shows what the server has. Refuses: conflict (another size, too much that no run names, or the object was
 * swept).
 */
export const storePiece = (viewer: Viewer, args: StorePiece) => {
  const { object_id, lengths, n, bytes, at, limits, sha256, total } = args
  const actor = stagedBy(viewer)
  const size = { sha256, total }
  const isThere = (staged: StagedPart | null, pieces: ReadonlyArray<{ readonly n: number }>): boolean =>
    staged?.complete === 1 || pieces.some((piece) => piece.n === n)
  return command(viewer, {
    facts: {
      staged: findStaged(viewer, sha256),
      totals: findStagedBefore(viewer, sha256),
      pieces: listStagedPieces(viewer, sha256),
      lastPartNo: findLastPartNo,
      state: findObjectState(object_id),
    },
    decide({ staged, totals, state }) {
      refuseOtherTotal(staged, size)
      // Checked again: many parts may have been begun at the same time.
      if (staged === null) refuseBeyond(totals, limits, { parts: 1, bytes: total })
      if (state !== 'writing') throw new Refused('conflict', 'the upload took too long: send this piece again')
      return []
    },
    writes({ staged, pieces, lastPartNo }) {
      if (isThere(staged, pieces)) return [dropObject(object_id), touchStaged(actor, sha256, at)]
      const part_no = staged?.part_no ?? lastPartNo + 1
      return [
        ...(staged === null
          ? [
              setLastPartNo(part_no),
              insertParts([{ part_no, sha256, bytes: total }]),
              insertStaged(actor, size, { part_no, isComplete: false, at }),
            ]
          : [touchStaged(actor, sha256, at)]),
        endObject(object_id, lengths),
        insertPartObject(part_no, n, object_id, bytes),
      ]
    },
    result(_recorded, { staged, pieces, lastPartNo }): PieceStored {
      const before = pieces.reduce((sum, piece) => sum + piece.bytes, 0)
      const isDropped = isThere(staged, pieces)
      const isComplete = staged?.complete === 1
      const received = isComplete ? total : before + (isDropped ? 0 : bytes)
      return {
        ...{ part_no: staged?.part_no ?? lastPartNo + 1, received, isAll: received === total, isComplete },
        dropped: isDropped ? [object_id] : [],
      }
    },
  })
}
