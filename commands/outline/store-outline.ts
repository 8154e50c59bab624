import type { Viewer } from '../../queries/access/viewer.ts'
import {
  dropOtherOutlines,
  findOutlineProgress,
  putOutlineRow,
  type OutlineKey,
  type OutlineRow,
} from '../../storage/objects/outlines.ts'
import { heavyCommand } from '../heavy-command.ts'

/** Rows of an outline up to a byte of its part. */
export type OutlineStep = OutlineKey & { readonly outlined: number; readonly rows: readonly OutlineRow[] }

/**
 * Stores a step of the outline of a transcript. It is no record: nothing is stored if the part is gone meanwhile, or if the outline is already
 * that far. Returns whether the part is there.
 */
export const storeOutline = (viewer: Viewer, { outlined, rows, ...key }: OutlineStep) =>
  heavyCommand(viewer, {
    bytes: rows.reduce((sum, { bytes }) => sum + bytes.length, 0),
    prepare: () => null,
    facts: () => ({ progress: findOutlineProgress(key) }),
    decide: () => [],
    writes: ({ progress }) =>
      progress.isStored && progress.outlined < outlined
        ? [...rows.map((row) => putOutlineRow(key, row)), dropOtherOutlines(key)]
        : [],
    result: (_recorded, _prepared, { progress }) => ({ isStored: progress.isStored }),
  })
