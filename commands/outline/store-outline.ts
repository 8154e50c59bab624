import type { Viewer } from '../../queries/access/viewer.ts'
import {
  dropOtherOutlines,
  findOutlineProgress,
  findOutlineSecret,
  putOutlineRow,
  putOutlineSecret,
  type OutlineKey,
  type OutlineRow,
} from '../../storage/objects/outlines.ts'
import { heavyCommand } from '../heavy-command.ts'

/** Rows of an outline up to a byte of its part, and the key under which they are sealed. */
export type OutlineStep = OutlineKey & {
  readonly secret: Uint8Array
  readonly outlined: number
  readonly rows: readonly OutlineRow[]
}

/**
 * Stores a step of the outline of a transcript. It is no record: nothing is stored if the part is gone meanwhile, or if the outline is already
 * that far, or has another key because another process began it. Returns whether the part is there.
 */
export const storeOutline = (viewer: Viewer, { secret, outlined, rows, ...key }: OutlineStep) =>
  heavyCommand(viewer, {
    bytes: rows.reduce((sum, { bytes }) => sum + bytes.length, 0),
    prepare: () => null,
    facts: () => ({ progress: findOutlineProgress(key), known: findOutlineSecret(key.part_no) }),
    decide: () => [],
    writes: ({ progress, known }) =>
      progress.isStored && progress.outlined < outlined && (known === null || known.equals(secret))
        ? [putOutlineSecret(key.part_no, secret), ...rows.map((row) => putOutlineRow(key, row)), dropOtherOutlines(key)]
        : [],
    result: (_recorded, _prepared, { progress }) => ({ isStored: progress.isStored }),
  })
