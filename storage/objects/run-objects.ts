import { z } from 'zod'
import { any, insertRows, mapped, sql, statement } from '../sql.ts'
import type { Query, Statement } from '../storage.ts'
import { pieceBytes } from './read-part.ts'
import type { ReadObject } from './object-store.ts'
import { decodeLengths } from './seal.ts'
import type { PartPiece } from './rows.ts'

// Documents that were moved into objects, with small parts of their runs. A caller of a read has checked that the viewer may have the run.

/** Raw bytes of one object of a run. */
export const MAX_RUN_OBJECT_BYTES = 64 * 1024 * 1024

/** A place in a moved document, as an object has it: `start` is its first byte in the document, and `bytes` how many there are. */
export type DocumentPiece = PartPiece

const PieceRow = z.object({
  run_no: z.number(),
  document_bytes: z.number(),
  object_id: z.string(),
  place: z.string(),
  key: z.instanceof(Buffer).nullable(),
  lengths: z.instanceof(Buffer).nullable(),
})

const PIECES = sql.fragment`
  SELECT own.run_no, own.document_bytes, own.object_id, objects.place, objects.key, objects.lengths
  FROM run_objects own JOIN objects ON objects.object_id = own.object_id`

const asPieces = (rows: ReadonlyArray<z.infer<typeof PieceRow>>): Map<number, DocumentPiece[]> => {
  const pieces = new Map<number, DocumentPiece[]>()
  for (const { run_no, document_bytes: bytes, lengths, ...row } of rows) {
    const own = pieces.get(run_no) ?? []
    const last = own.at(-1)
    const start = last ? last.start + last.bytes : 0
    own.push({ ...row, start, offset: 0, bytes, lengths: lengths === null ? [] : decodeLengths(lengths) })
    pieces.set(run_no, own)
  }
  return pieces
}

/** The objects of a moved document, in order; none if it was not moved. */
export const listDocumentPieces = (run_no: number): Query<DocumentPiece[]> =>
  mapped(
    any(sql.type(PieceRow)`${PIECES} WHERE own.run_no = ${run_no} ORDER BY own.n`),
    (rows) => asPieces(rows).get(run_no) ?? [],
  )

const Numbered = z.object({ run_no: z.number() })

/** The moved runs from a number on, in order. */
export const listMovedRuns = (from: number, limit: number): Query<number[]> =>
  mapped(
    any(sql.type(Numbered)`
      SELECT DISTINCT run_no FROM run_objects WHERE run_no >= ${from} ORDER BY run_no LIMIT ${limit}`),
    (rows) => rows.map(({ run_no }) => run_no),
  )

/** The number of bytes of a moved document. */
export const documentBytesOf = (pieces: readonly DocumentPiece[]): number =>
  pieces.reduce((sum, { bytes }) => sum + bytes, 0)

/** The raw bytes of a moved document from one offset to another. Throws `ObjectDamaged`. */
export async function* movedBytes(
  pieces: readonly DocumentPiece[],
  from: number,
  to: number,
  readObject: ReadObject,
): AsyncGenerator<Buffer> {
  for (const piece of pieces) {
    const end = piece.start + piece.bytes
    if (end > from && piece.start < to)
      yield* pieceBytes(piece, Math.max(0, from - piece.start), Math.min(end, to) - piece.start, readObject)
  }
}

/** An object that is written for a run: of its raw bytes, the first are of the document. */
export type RunObject = {
  readonly object_id: string
  readonly bytes: number
  readonly document_bytes: number
}

/** Gives objects to a run. */
export const insertRunObjects = (run_no: number, objects: readonly RunObject[]): Statement =>
  insertRows(
    'run_objects',
    ['run_no', 'n', 'object_id', 'bytes', 'document_bytes'],
    objects.map(({ object_id, bytes, document_bytes }, n) => [run_no, n, object_id, bytes, document_bytes]),
  )

/** Drops the objects of a run, with their keys: nothing opens them any more. */
export const dropRunObjects = (run_no: number): Statement[] => [
  statement`
    UPDATE objects SET state = 'deleting', key = NULL
    WHERE object_id IN (SELECT object_id FROM run_objects WHERE run_no = ${run_no})`,
  statement`DELETE FROM run_objects WHERE run_no = ${run_no}`,
]

/** Notes that the document of a run waits to be moved. */
export const insertPendingMove = (run_no: number, since: number): Statement =>
  statement`INSERT INTO pending_moves (run_no, since, holder, until) VALUES (${run_no}, ${since}, NULL, 0)`

/** The document of a run waits no more. */
export const deletePendingMove = (run_no: number): Statement =>
  statement`DELETE FROM pending_moves WHERE run_no = ${run_no}`
