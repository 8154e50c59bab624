import type { Viewer } from '../../queries/access/viewer.ts'
import { inList, listMovedParts, listObjectsOfRun } from '../../queries/runs/moves.ts'
import { framesOf, insertFrames, SMALL_FRAMES } from '../../storage/documents/frames.ts'
import { insertPartFrames, PART_CUT } from '../../storage/objects/rows.ts'
import { dropRunObjects } from '../../storage/objects/run-objects.ts'
import { statement } from '../../storage/sql.ts'
import { heavyCommand } from '../heavy-command.ts'
import { grouped } from './move-documents.ts'

/** Bytes that a run has in its objects: some of its small parts one after another, or its document. */
type Returned = {
  readonly run_no: number
  readonly body: Uint8Array
  /** The parts in the body; null if it is the document. */
  readonly parts: ReadonlyArray<{ readonly part_no: number; readonly bytes: number }> | null
}

/**
 * Stores bytes of a moved run in frames again: first its small parts, as often as it takes, and then its document, with which its objects are dropped.
 * Does nothing if the run is gone meanwhile, or if parts of it are still in objects. Returns the objects that were dropped.
 */
export const returnDocument = (viewer: Viewer, { run_no, body, parts }: Returned) =>
  heavyCommand(viewer, {
    bytes: Math.max(body.length, 1),
    prepare: () => {
      let end = 0
      return {
        frames: parts === null ? framesOf(body, SMALL_FRAMES) : [],
        partFrames: (parts ?? []).map(({ part_no, bytes }) => {
          const start = end
          end += bytes
          return { part_no, frames: framesOf(body.subarray(start, end), PART_CUT) }
        }),
      }
    },
    facts: () => ({ objects: listObjectsOfRun(run_no), moved: listMovedParts(run_no) }),
    decide: () => [],
    writes: ({ objects, moved }, { frames, partFrames }) => {
      if (objects.length === 0) return []
      if (parts === null) return moved.length > 0 ? [] : [insertFrames(run_no, frames), ...dropRunObjects(run_no)]
      const own = new Set(moved.map(({ part_no }) => part_no))
      const returned = partFrames.filter(({ part_no }) => own.has(part_no))
      return [
        ...(returned.length === 0 ? [] : [insertPartFrames(returned)]),
        ...grouped(returned.map(({ part_no }) => part_no)).flatMap((group) => [
          statement`DELETE FROM part_objects WHERE part_no IN (${inList(group)})`,
          statement`UPDATE run_parts SET set_no = abs(set_no) WHERE run_no = ${run_no} AND part_no IN (${inList(group)})`,
        ]),
      ]
    },
    result: (_recorded, _prepared, { objects, moved }) => ({
      dropped: parts === null && moved.length === 0 ? objects : [],
    }),
  })
