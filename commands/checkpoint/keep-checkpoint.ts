import type { Viewer } from '../../queries/access/viewer.ts'
import { sql, statement } from '../../storage/sql.ts'
import { command } from '../command.ts'

// Checkpoints and cosignatures have no events: an event would grow the log that they sign.

/** A signed checkpoint. `root` is hex, `signed_at` in epoch milliseconds, `note` without cosignatures. */
type NewCheckpoint = {
  readonly size: number
  readonly root: string
  readonly signed_at: number
  readonly note: string
}

/** Stores a checkpoint, unless one of its size is stored already: another replica may have signed it. */
export const keepCheckpoint = (viewer: Viewer, { size, root, signed_at, note }: NewCheckpoint) =>
  command(viewer, {
    facts: {},
    decide: () => [],
    statements: [
      statement`
        INSERT INTO checkpoints (size, root, signed_at, note)
        VALUES (${size}, ${sql.binary(Buffer.from(root, 'hex'))}, ${signed_at}, ${note}) ON CONFLICT (size) DO NOTHING`,
    ],
  })

/** Verified cosignatures of one checkpoint, as they are stored. */
type NewCosignatures = {
  readonly size: number
  readonly cosignatures: ReadonlyArray<{
    readonly key_name: string
    readonly key_id: string
    readonly line: string
    readonly at: number
  }>
}

/** Stores cosignatures of a checkpoint, and that their witnesses know the log up to its size. */
export const keepCosignatures = (viewer: Viewer, { size, cosignatures }: NewCosignatures) =>
  command(viewer, {
    facts: {},
    decide: () => [],
    statements: cosignatures.flatMap(({ key_name, key_id, line, at }) => [
      // The checkpoint may have been deleted for its age since.
      statement`
        INSERT INTO cosignatures (size, key_name, key_id, line, at)
        SELECT checkpoints.size, ${key_name}, ${key_id}, ${line}, ${at} FROM checkpoints WHERE checkpoints.size = ${size}
        ON CONFLICT (size, key_name, key_id) DO NOTHING`,
      statement`
        INSERT INTO witnesses (key_name, key_id, size) VALUES (${key_name}, ${key_id}, ${size})
        ON CONFLICT (key_name, key_id) DO UPDATE SET size = excluded.size WHERE excluded.size > witnesses.size`,
    ]),
  })

/**
 * Deletes checkpoints that were signed before an instant (epoch milliseconds), with their cosignatures. The last one of
 * each UTC day stays. Receipts contain their checkpoint, so they stay valid.
 */
export const thinCheckpoints = (viewer: Viewer, { before }: { readonly before: number }) =>
  command(viewer, {
    facts: {},
    decide: () => [],
    statements: [
      // The milliseconds of a day are part of the text: SQLite would divide by a parameter in floating point.
      statement`
        DELETE FROM checkpoints WHERE signed_at < ${before} AND signed_at / 86400000 = (
          SELECT later.signed_at / 86400000 FROM checkpoints later WHERE later.size > checkpoints.size ORDER BY later.size LIMIT 1)`,
      statement`
        DELETE FROM cosignatures WHERE NOT EXISTS (SELECT 1 FROM checkpoints WHERE checkpoints.size = cosignatures.size)`,
    ],
  })
