import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import { z } from 'zod'
import { mapped, maybeOne, one, sql, statement } from '../sql.ts'
import type { Query, Statement } from '../storage.ts'

// The rows of outlines of transcripts. A caller of a read has checked that the viewer may have the part. Nothing here knows what an outline
// has: a row is a JSON value. Rows are sealed under the key of their outline, which has a row of its own: the commit that drops a part deletes both.

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

const ALGORITHM = 'aes-256-gcm'
const NONCE_BYTES = 12
const TAG_BYTES = 16

/** Which row of which outline. A sealed row opens only there. */
type RowName = OutlineKey & { readonly n: number }
const boundTo = ({ part_no, version, n }: RowName): Buffer => Buffer.from(`ers-outline/1 ${part_no} ${version} ${n}`)

/** A JSON value as a row has it: a random nonce, because some rows are written again under the same key, and the sealed value with its tag. */
export const sealOutlineRow = (value: unknown, secret: Uint8Array, name: RowName): Uint8Array => {
  const packed = zstdCompressSync(JSON.stringify(value), { params: { [constants.ZSTD_c_compressionLevel]: LEVEL } })
  const nonce = randomBytes(NONCE_BYTES)
  const cipher = createCipheriv(ALGORITHM, secret, nonce).setAAD(boundTo(name))
  return Buffer.concat([nonce, cipher.update(packed), cipher.final(), cipher.getAuthTag()])
}

const open = (bytes: Buffer, secret: Buffer, name: RowName): unknown => {
  const decipher = createDecipheriv(ALGORITHM, secret, bytes.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES })
    .setAAD(boundTo(name))
    .setAuthTag(bytes.subarray(-TAG_BYTES))
  const packed = Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()])
  return JSON.parse(zstdDecompressSync(packed).toString('utf8'))
}

const ValueRow = z.object({ n: z.number(), bytes: z.instanceof(Buffer), key: z.instanceof(Buffer) })

/** The value of a row with its number, or null. */
type Found = { readonly n: number; readonly value: unknown }
const found = (outline: OutlineKey, query: Query<z.infer<typeof ValueRow> | null>): Query<Found | null> =>
  mapped(query, (row) => row && { n: row.n, value: open(row.bytes, row.key, { ...outline, n: row.n }) })

const SEALED_ROWS = sql.fragment`
  SELECT outlines.n, outlines.bytes, outline_keys.key
  FROM outlines JOIN outline_keys ON outline_keys.part_no = outlines.part_no`
const rowsOf = ({ part_no, version }: OutlineKey) =>
  sql.fragment`outlines.part_no = ${part_no} AND outlines.version = ${version}`

/** A row of an outline, or null. */
export const findOutlineRow = (outline: OutlineKey, n: number): Query<Found | null> =>
  found(outline, maybeOne(sql.type(ValueRow)`${SEALED_ROWS} WHERE ${rowsOf(outline)} AND n = ${n}`))

/** The last block that begins at a byte or before it, or null. */
export const findBlockAt = (outline: OutlineKey, offset: number): Query<Found | null> =>
  found(
    outline,
    maybeOne(sql.type(ValueRow)`
      ${SEALED_ROWS} WHERE ${rowsOf(outline)} AND n >= 0 AND start <= ${offset} ORDER BY n DESC LIMIT 1`),
  )

/** The last block whose first message has a number or a lower one, or null. */
export const findBlockOfMessage = (outline: OutlineKey, message: number): Query<Found | null> =>
  found(
    outline,
    maybeOne(sql.type(ValueRow)`
      ${SEALED_ROWS} WHERE ${rowsOf(outline)} AND n >= 0 AND first_message <= ${message} ORDER BY n DESC LIMIT 1`),
  )

const SecretRow = z.object({ key: z.instanceof(Buffer) })

/** The key of the outlines of a part, or null if none was made. */
export const findOutlineSecret = (part_no: number): Query<Buffer | null> =>
  mapped(
    maybeOne(sql.type(SecretRow)`SELECT key FROM outline_keys WHERE part_no = ${part_no}`),
    (row) => row?.key ?? null,
  )

/** Stores the key of the outlines of a part. */
export const putOutlineSecret = (part_no: number, secret: Uint8Array): Statement =>
  statement`
    INSERT INTO outline_keys (part_no, key) VALUES (${part_no}, ${sql.binary(Buffer.from(secret))})
    ON CONFLICT (part_no) DO NOTHING`

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
