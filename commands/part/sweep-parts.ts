import { z } from 'zod'
import type { Viewer } from '../../queries/access/viewer.ts'
import {
  deleteObjectRows,
  dropParts,
  dropUnfinishedObjects,
  dropUnusedObject,
  findObjectState,
  forgetObject as deleteObject,
} from '../../storage/objects/rows.ts'
import { mapped, one, sql, statement } from '../../storage/sql.ts'
import { command } from '../command.ts'

/** Milliseconds after which an object whose bytes are not complete is taken for interrupted. */
const UNFINISHED_MS = 86_400_000

/**
 * Drops parts that no run has named since an instant, and objects of interrupted uploads. Decided under the lock: a commit never names a
 * part on its way out. Returns how many parts were dropped.
 */
export const sweepParts = (viewer: Viewer, { before, at }: { readonly before: number; readonly at: number }) =>
  command(viewer, {
    facts: {
      count: mapped(
        one(sql.type(z.object({ n: z.number() }))`SELECT count(*) AS n FROM staged_parts WHERE touched_at < ${before}`),
        ({ n }) => n,
      ),
    },
    decide: () => [],
    statements: [
      ...dropParts(sql.fragment`SELECT part_no FROM staged_parts WHERE touched_at < ${before}`),
      statement`DELETE FROM staged_parts WHERE touched_at < ${before}`,
      dropUnfinishedObjects(at - UNFINISHED_MS),
    ],
    result: (_recorded, { count }) => ({ parts: count }),
  })

type ObjectId = { readonly object_id: string }
type Rows = ObjectId & { readonly from: number; readonly to: number }

/** Removes bytes of a dropped object that are rows of the database, from one number to before another. */
export const removeObjectRows = (viewer: Viewer, { object_id, from, to }: Rows) =>
  command(viewer, { facts: {}, decide: () => [], statements: [deleteObjectRows(object_id, from, to)] })

/** Drops an object whose part was not stored. Returns whether it was dropped: one that a part has after all stays. */
export const dropRefusedObject = (viewer: Viewer, { object_id }: ObjectId) =>
  command(viewer, {
    facts: { state: findObjectState(object_id) },
    decide: () => [],
    statements: [dropUnusedObject(object_id)],
    result: (_recorded, { state }) => state === 'writing',
  })

/** Forgets a dropped object whose bytes are removed. */
export const forgetObject = (viewer: Viewer, { object_id }: ObjectId) =>
  command(viewer, { facts: {}, decide: () => [], statements: [deleteObject(object_id)] })
