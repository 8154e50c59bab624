import { countStaged, listStagedAmong, stagedBy } from '../../queries/evidence/staged.ts'
import type { Viewer } from '../../queries/access/viewer.ts'
import { framesOf } from '../../storage/documents/frames.ts'
import {
  dropObject,
  endObject,
  findLastPartNo,
  insertPartFrames,
  insertPartObject,
  insertParts,
  listKnownObjects,
  PART_CUT,
  setLastPartNo,
} from '../../storage/objects/rows.ts'
import { insertRows } from '../../storage/sql.ts'
import { heavyCommand } from '../heavy-command.ts'
import { Refused } from '../refused.ts'
import { dropStaged, refuseBeyond, refuseOtherTotal, touchStaged, type StagedLimits } from './staging.ts'

/** A whole part: a small one is in the body, behind those before it, and the bytes of a large one are an object already. */
export type WholePart = {
  readonly sha256: string
  readonly total: number
  readonly object: { readonly object_id: string; readonly lengths: readonly number[] } | null
}

/** The parts differ, and their bytes have their digests: the caller has checked it. `body` has the bytes of the small ones. */
type StageParts = {
  readonly parts: readonly WholePart[]
  readonly body: Uint8Array
  readonly at: number
  readonly limits: StagedLimits
}

/**
 * Stores whole parts for the viewer in one commit, small ones in frames. They are dropped after some hours unless a run names them. Returns
 * the objects that were dropped: of parts that were there already, and pieces of interrupted uploads. Refuses: conflict; then nothing is
 * stored.
 */
export const stageParts = (viewer: Viewer, { parts, body, at, limits }: StageParts) => {
  const actor = stagedBy(viewer)
  return heavyCommand(viewer, {
    bytes: Math.max(body.length, 1),
    prepare: () => {
      let end = 0
      return {
        frames: parts.map(({ total, object }) => {
          if (object !== null) return []
          const start = end
          end += total
          return framesOf(body.subarray(start, end), PART_CUT)
        }),
      }
    },
    facts: () => ({
      staged: listStagedAmong(
        viewer,
        parts.map(({ sha256 }) => sha256),
      ),
      totals: countStaged(viewer),
      objects: listKnownObjects(parts.flatMap(({ object }) => object?.object_id ?? [])),
      lastPartNo: findLastPartNo,
    }),
    decide({ staged, totals, objects }) {
      for (const part of parts) refuseOtherTotal(staged.get(part.sha256) ?? null, part)
      const fresh = parts.filter(({ sha256 }) => !staged.has(sha256))
      const bytes = fresh.reduce((sum, { total }) => sum + total, 0)
      if (fresh.length > 0) refuseBeyond(totals, limits, { parts: fresh.length, bytes })
      if (parts.some(({ object }) => object !== null && objects.get(object.object_id) !== 'writing'))
        throw new Refused('conflict', 'the upload took too long: send these parts again')
      return []
    },
    writes({ staged, lastPartNo }, { frames }) {
      const isThere = ({ sha256 }: WholePart): boolean => staged.get(sha256)?.complete === 1
      const known = parts.filter(isThere)
      const stored = parts.flatMap((part, i) => (isThere(part) ? [] : [{ ...part, frames: frames[i] ?? [] }]))
      const numbered = stored.map((part, i) => ({ ...part, bytes: part.total, part_no: lastPartNo + 1 + i }))
      const framed = numbered.filter(({ object }) => object === null)
      const last = numbered.at(-1)
      return [
        ...known.flatMap(({ sha256, object }) => [
          touchStaged(actor, sha256, at),
          ...(object ? [dropObject(object.object_id)] : []),
        ]),
        // Pieces of an interrupted upload are of no use any more.
        ...stored.flatMap(({ sha256 }) => (staged.has(sha256) ? dropStaged(actor, sha256) : [])),
        ...(last
          ? [
              setLastPartNo(last.part_no),
              insertParts(numbered),
              ...(framed.length > 0 ? [insertPartFrames(framed)] : []),
              ...numbered.flatMap(({ object, part_no, total }) =>
                object
                  ? [endObject(object.object_id, object.lengths), insertPartObject(part_no, 0, object.object_id, total)]
                  : [],
              ),
              insertRows(
                'staged_parts',
                ['actor', 'sha256', 'part_no', 'bytes', 'complete', 'touched_at'],
                numbered.map(({ sha256, part_no, total }) => [actor, sha256, part_no, total, 1, at]),
              ),
            ]
          : []),
      ]
    },
    result: (_recorded, _prepared, { staged }) =>
      parts.flatMap(({ sha256, object }) => {
        const before = staged.get(sha256)
        if (before?.complete === 1) return object ? [object.object_id] : []
        return before?.objects ?? []
      }),
  })
}
