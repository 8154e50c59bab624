import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import { z } from 'zod'
import { mapped, maybeOne, one, sql, statement } from '../sql.ts'
import type { Query, Statement } from '../storage.ts'

// The rows of outlines of transcripts. A caller of a read has checked that the viewer may have the part. Nothing here knows what an outline
// has: a row is a JSON value.

/** The number of the row with the state of an outline, and of that with its spans. Blocks are numbered from 0. */
export const STATE_ROW = -1
export const SPANS_ROW = -2

/** A row of an outline. */
export type OutlineRow = {
  readonly n: number
  readonly start: number
  readonly firstMessage: number
  readonly bytes: Uint8Array
}

/** Which outline: that of a part, as a version of the program makes it. */
export type OutlineKey = { readonly part_no: number; readonly version: number }

const LEVEL = 1

/** A JSON value as a row has it. */
export const packOutline = (value: unknown): Uint8Array =>
  zstdCompressSync(JSON.stringify(value), {
    params: { [constants.ZSTD_c_compressionLevel]: LEVEL, [constants.ZSTD_c_checksumFlag]: 1 },
  })
const unpack = (bytes: Buffer): unknown => JSON.parse(zstdDecompressSync(bytes).toString('utf8'))

const ValueRow = z.object({ n: z.number(), bytes: z.instanceof(Buffer) })

/** The value of a row with its number, or null. */
type Found = { readonly n: number; readonly value: unknown }
const found = (query: Query<z.infer<typeof ValueRow> | null>): Query<Found | null> =>
  mapped(query, (row) => row && { n: row.n, value: unpack(row.bytes) })

/** A row of an outline, or null. */
export const findOutlineRow = ({ part_no, version }: OutlineKey, n: number): Query<Found | null> =>
  found(
    maybeOne(sql.type(ValueRow)`
      SELECT n, bytes FROM outlines WHERE part_no = ${part_no} AND version = ${version} AND n = ${n}`),
  )

/** The last block that begins at a byte or before it, or null. */
export const findBlockAt = ({ part_no, version }: OutlineKey, offset: number): Query<Found | null> =>
  found(
    maybeOne(sql.type(ValueRow)`
      SELECT n, bytes FROM outlines
      WHERE part_no = ${part_no} AND version = ${version} AND n >= 0 AND start <= ${offset} ORDER BY n DESC LIMIT 1`),
  )

/** The last block whose first message has a number or a lower one, or null. */
export const findBlockOfMessage = ({ part_no, version }: OutlineKey, message: number): Query<Found | null> =>
  found(
    maybeOne(sql.type(ValueRow)`
      SELECT n, bytes FROM outlines
      WHERE part_no = ${part_no} AND version = ${version} AND n >= 0 AND first_message <= ${message}
      ORDER BY n DESC LIMIT 1`),
  )

const StartRow = z.object({ start: z.number() })

/** The bytes of a part that its outline has, or null if it was not begun. */
export const findOutlinedBytes = ({ part_no, version }: OutlineKey): Query<number | null> =>
  mapped(
    maybeOne(sql.type(StartRow)`
      SELECT start FROM outlines WHERE part_no = ${part_no} AND version = ${version} AND n = ${STATE_ROW}`),
    (row) => row?.start ?? null,
  )

const CountRow = z.object({ parts: z.number(), bytes: z.number() })

/** Whether a part is still stored, and how far its outline is. */
export const findOutlineProgress = ({
  part_no,
  version,
}: OutlineKey): Query<{ readonly isStored: boolean; readonly outlined: number }> =>
  mapped(
    one(sql.type(CountRow)`
      SELECT (SELECT count(*) FROM parts WHERE part_no = ${part_no}) AS parts,
        coalesce((SELECT start FROM outlines WHERE part_no = ${part_no} AND version = ${version} AND n = ${STATE_ROW}), -1) AS bytes`),
    ({ parts, bytes }) => ({ isStored: parts > 0, outlined: bytes }),
  )

/** Stores a row of an outline. A block that is there already is the same. */
export const putOutlineRow = (
  { part_no, version }: OutlineKey,
  { n, start, firstMessage, bytes }: OutlineRow,
): Statement => {
  const stored = sql.binary(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength))
  return statement`
    INSERT INTO outlines (part_no, version, n, start, first_message, bytes)
    VALUES (${part_no}, ${version}, ${n}, ${start}, ${firstMessage}, ${stored})
    ON CONFLICT (part_no, version, n) DO UPDATE SET start = excluded.start, bytes = excluded.bytes`
}

/** Deletes outlines that other versions of the program made of a part. */
export const dropOtherOutlines = ({ part_no, version }: OutlineKey): Statement =>
  statement`DELETE FROM outlines WHERE part_no = ${part_no} AND version <> ${version}`
