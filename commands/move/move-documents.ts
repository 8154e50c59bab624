import type { Viewer } from '../../queries/access/viewer.ts'
import { inList, listClaimable, listFramed, listSmallParts } from '../../queries/runs/moves.ts'
import { deleteFrames } from '../../storage/documents/frames.ts'
import type { ObjectPlace } from '../../storage/objects/object-store.ts'
import {
  beginObject as insertObject,
  dropUnusedObject,
  endObject,
  listKnownObjects,
} from '../../storage/objects/rows.ts'
import { deletePendingMove, insertRunObjects, type RunObject } from '../../storage/objects/run-objects.ts'
import { insertRows, statement } from '../../storage/sql.ts'
import type { Statement } from '../../storage/storage.ts'
import { command } from '../command.ts'
import { heavyCommand } from '../heavy-command.ts'

// Moves of documents change where bytes are, and nothing that is recorded: no event.

/** How long a replica has for the runs that it claimed, unless it renews that. */
export const MOVE_LEASE_MS = 60_000

/** Takes runs whose documents wait to be moved, so that other replicas take others. Returns their numbers. */
export const claimMoves = (
  viewer: Viewer,
  { holder, at, limit }: { readonly holder: string; readonly at: number; readonly limit: number },
) =>
  command(viewer, {
    facts: { claimed: listClaimable(holder, at, limit) },
    decide: () => [],
    writes: ({ claimed }) =>
      claimed.length === 0
        ? []
        : [
            statement`
              UPDATE pending_moves SET holder = ${holder}, until = ${at + MOVE_LEASE_MS}
              WHERE run_no IN (${inList(claimed)})`,
          ],
    result: (_recorded, { claimed }) => claimed,
  })

/** Keeps the runs that a replica has claimed. */
export const renewMoves = (viewer: Viewer, { holder, at }: { readonly holder: string; readonly at: number }) =>
  command(viewer, {
    facts: {},
    decide: () => [],
    statements: [statement`UPDATE pending_moves SET until = ${at + MOVE_LEASE_MS} WHERE holder = ${holder}`],
  })

/** Lets a run wait until an instant before it is tried again, by any replica. */
export const postponeMove = (viewer: Viewer, { run_no, until }: { readonly run_no: number; readonly until: number }) =>
  command(viewer, {
    facts: {},
    decide: () => [],
    statements: [statement`UPDATE pending_moves SET holder = NULL, until = ${until} WHERE run_no = ${run_no}`],
  })

type NewObject = { readonly object_id: string; readonly key: Uint8Array }

/** Notes objects with their keys before their bytes are written, so that what is left of an interrupted move is known. */
export const beginMoves = (
  viewer: Viewer,
  { objects, place, at }: { readonly objects: readonly NewObject[]; readonly place: ObjectPlace; readonly at: number },
) =>
  heavyCommand(viewer, {
    // Refused while the disk is full, before the bytes are written.
    bytes: 1,
    prepare: () => null,
    facts: () => ({}),
    decide: () => [],
    writes: () => objects.map(({ object_id, key }) => insertObject(object_id, place, Buffer.from(key), at)),
    result: () => null,
  })

/** A small part behind a document: the n-th piece of it is in an object of the run, from a byte on. */
export type MovedPiece = {
  readonly part_no: number
  readonly n: number
  readonly object_id: string
  readonly start: number
  readonly bytes: number
}

/** What was written for a run and read back. */
export type WrittenRun = {
  readonly run_no: number
  readonly objects: ReadonlyArray<RunObject & { readonly lengths: readonly number[] }>
  readonly pieces: readonly MovedPiece[]
}

/**
 * Lets written objects take the place of the frames of documents and of small parts. A run that is gone, or was moved by another replica, loses its
 * objects; a part that another run has named meanwhile, or that is gone, stays as it is. Returns the objects that were dropped.
 */
export const endMoves = (viewer: Viewer, { runs }: { readonly runs: readonly WrittenRun[] }) => {
  const run_nos = runs.map(({ run_no }) => run_no)
  return command(viewer, {
    facts: {
      framed: listFramed(run_nos),
      objects: listKnownObjects(runs.flatMap(({ objects }) => objects.map(({ object_id }) => object_id))),
      parts: listSmallParts(run_nos),
    },
    decide: () => [],
    writes: ({ framed, objects, parts }) => {
      const alone = new Set(parts.map(({ part_no }) => part_no))
      return runs.flatMap((run) => [
        ...(isKept(run, framed, objects)
          ? moved(run, alone)
          : run.objects.map(({ object_id }) => dropUnusedObject(object_id))),
        ...(isKept(run, framed, objects) || !framed.has(run.run_no) ? [deletePendingMove(run.run_no)] : []),
      ])
    },
    result: (_recorded, { framed, objects }) => ({
      dropped: runs.flatMap((run) =>
        isKept(run, framed, objects) ? [] : run.objects.map(({ object_id }) => object_id),
      ),
    }),
  })
}

/** Whether the frames are there, and no object was taken for interrupted meanwhile. */
const isKept = (
  { run_no, objects: written }: WrittenRun,
  framed: ReadonlySet<number>,
  objects: ReadonlyMap<string, string>,
): boolean => framed.has(run_no) && written.every(({ object_id }) => objects.get(object_id) === 'writing')

const moved = ({ run_no, objects, pieces }: WrittenRun, alone: ReadonlySet<number>): Statement[] => {
  const kept = pieces.filter(({ part_no }) => alone.has(part_no))
  const numbers = [...new Set(kept.map(({ part_no }) => part_no))]
  return [
    ...objects.map(({ object_id, lengths }) => endObject(object_id, lengths)),
    insertRunObjects(run_no, objects),
    deleteFrames(run_no),
    ...(kept.length === 0
      ? []
      : [
          insertRows(
            'part_objects',
            ['part_no', 'n', 'object_id', 'bytes', 'start'],
            kept.map(({ part_no, n, object_id, bytes, start }) => [part_no, n, object_id, bytes, start]),
          ),
        ]),
    ...grouped(numbers).flatMap((group) => [
      statement`DELETE FROM part_frames WHERE part_no IN (${inList(group)})`,
      statement`UPDATE run_parts SET set_no = 0 - set_no WHERE run_no = ${run_no} AND part_no IN (${inList(group)})`,
    ]),
  ]
}

/** A statement has a limited number of values. */
const VALUES_PER_STATEMENT = 1000
export const grouped = <T>(values: readonly T[]): Array<readonly T[]> =>
  Array.from({ length: Math.ceil(values.length / VALUES_PER_STATEMENT) }, (_, i) =>
    values.slice(i * VALUES_PER_STATEMENT, (i + 1) * VALUES_PER_STATEMENT),
  )
