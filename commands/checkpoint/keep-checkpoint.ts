import type { Viewer } from '../../queries/access/viewer.ts'
import { listLogKeys } from '../../queries/log/log-keys.ts'
import { sql, statement } from '../../storage/sql.ts'
import { command } from '../command.ts'
import { refusalOfOrigin } from '../log-key/origins.ts'
import { Refused } from '../refused.ts'

// Checkpoints and cosignatures have no events: an event would grow the log that they sign.

/**
 * A signed checkpoint. `root` is hex, `signed_at` in epoch milliseconds, `note` without cosignatures. `time_line` is a line of
 * a key of the log that signs `note` with `signed_at`.
 */
type NewCheckpoint = {
  readonly size: number
  readonly root: string
  readonly signed_at: number
  readonly note: string
  readonly time_line?: string | null
}

/**
 * Stores a checkpoint, unless one of its size is stored already: another replica may have signed it. Refuses: conflict, if
 * it is of a former origin of the log, because another replica has adopted a new one since this process started.
 */
export const keepCheckpoint = (viewer: Viewer, { size, root, signed_at, note, time_line = null }: NewCheckpoint) =>
  command(viewer, {
    facts: { recorded: listLogKeys },
    decide: ({ recorded }) => {
      const refusal = refusalOfOrigin(recorded, note.slice(0, note.indexOf('\n')))
      if (refusal !== null) throw new Refused('conflict', refusal)
      return []
    },
    statements: [
      statement`
        INSERT INTO checkpoints (size, root, signed_at, note, time_line)
        VALUES (${size}, ${sql.binary(Buffer.from(root, 'hex'))}, ${signed_at}, ${note}, ${time_line})
        ON CONFLICT (size) DO NOTHING`,
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
        ON CONFLICT (key_name, key_id) DO UPDATE SET size = excluded.size`,
    ]),
  })

/** Deletes checkpoints of some sizes, with their cosignatures. Receipts contain their checkpoint, so they stay valid. */
export const deleteCheckpoints = (viewer: Viewer, { sizes }: { readonly sizes: readonly number[] }) => {
  const listed = sql.join([...sizes], sql.fragment`, `)
  return command(viewer, {
    facts: {},
    decide: () => [],
    statements:
      sizes.length === 0
        ? []
        : [
            statement`DELETE FROM checkpoints WHERE size IN (${listed})`,
            statement`DELETE FROM cosignatures WHERE size IN (${listed})`,
          ],
  })
}
