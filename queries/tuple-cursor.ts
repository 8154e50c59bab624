import { byCodePoint } from '../domain/text/code-point-order.ts'

/** Where a row is in a computed order: values that are compared one after the other, the last of them unique. */
export type Tuple = ReadonlyArray<number | string>

export const compareTuples = (a: Tuple, b: Tuple): number => {
  for (let i = 0; i < a.length; i++) {
    const [left, right] = [a[i], b[i]]
    if (left === right) continue
    if (typeof left === 'number' && typeof right === 'number') return left - right
    return byCodePoint(String(left), String(right))
  }
  return 0
}

export const tupleCursorText = (tuple: Tuple): string => Buffer.from(JSON.stringify(tuple)).toString('base64url')

/**
 * Null for text that is not a cursor of an order like `example`, with values of the same types: the list then starts
 * with the first page.
 */
export const parseTupleCursor = (cursor: string | undefined, example: Tuple): Tuple | null => {
  if (cursor === undefined) return null
  try {
    const tuple: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString())
    const isLike =
      Array.isArray(tuple) &&
      tuple.length === example.length &&
      example.every((value, i) => typeof value === typeof tuple[i])
    return isLike ? (tuple as Tuple) : null
  } catch {
    return null
  }
}

const ULID = /^[0-9A-HJKMNP-TV-Z]{26}$/

/**
 * The id after which a page starts, if the cursor of the list is the id of its last row. Undefined for any other text: it is
 * no cursor, so the list starts with the first page.
 */
export const idInCursor = (cursor: string | undefined): string | undefined =>
  cursor !== undefined && ULID.test(cursor) ? cursor : undefined
