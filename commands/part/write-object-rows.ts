import type { Viewer } from '../../queries/access/viewer.ts'
import { insertObjectRows, ROW_BYTES } from '../../storage/objects/rows.ts'
import { heavyCommand } from '../heavy-command.ts'

type ObjectRows = { readonly object_id: string; readonly from: number; readonly body: Uint8Array }

/** Writes rows of an object that is stored in the database, from the number `from` on. */
export const writeObjectRows = (viewer: Viewer, { object_id, from, body }: ObjectRows) =>
  heavyCommand(viewer, {
    bytes: body.length,
    prepare: () => null,
    facts: () => ({}),
    decide: () => [],
    writes: () => {
      const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength)
      const rows = Array.from({ length: Math.ceil(bytes.length / ROW_BYTES) }, (_, i) =>
        bytes.subarray(i * ROW_BYTES, (i + 1) * ROW_BYTES),
      )
      return [insertObjectRows(object_id, from, rows)]
    },
    result: () => null,
  })
