import { z } from 'zod'
import { any, mapped, sql } from '../../storage/sql.ts'
import type { Query } from '../../storage/storage.ts'

const Row = z.object({ place: z.string(), bytes: z.number() })

/** Bytes of parts as they were sent, by where they are: small ones in `database`, large ones in its `table`, in `files`, or in the bucket (`s3`). */
export const PartBytes = z.object({
  database: z.number().int(),
  table: z.number().int(),
  files: z.number().int(),
  s3: z.number().int(),
})
export type PartBytes = z.infer<typeof PartBytes>

/** The bytes of all parts. Reads all rows of parts. */
export const findPartBytes: Query<PartBytes> = mapped(
  any(sql.type(Row)`
    SELECT objects.place, coalesce(sum(piece.bytes), 0) AS bytes
    FROM part_objects piece JOIN objects ON objects.object_id = piece.object_id GROUP BY objects.place
    UNION ALL
    SELECT 'database' AS place, coalesce(sum(parts.bytes), 0) AS bytes FROM parts
    WHERE NOT EXISTS (SELECT 1 FROM part_objects piece WHERE piece.part_no = parts.part_no)`),
  (rows) => ({
    ...{ database: 0, table: 0, files: 0, s3: 0 },
    ...Object.fromEntries(rows.map(({ place, bytes }) => [place, bytes])),
  }),
)
