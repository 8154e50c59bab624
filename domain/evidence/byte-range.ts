/** The bytes that a `Range` header asks for: from one offset to another, which is not included. */
export type ByteRange = { readonly from: number; readonly to: number }

/**
 * Reads a `Range` header for a body of some length (RFC 9110, 14.2). Null: answer with all of it, because there is no header, it is none of
 * bytes, or it asks for several ranges. `unsatisfiable`: no byte of the body is in it.
 */
export const readByteRange = (header: string | undefined, length: number): ByteRange | 'unsatisfiable' | null => {
  const match = /^bytes=\s*(\d{0,15})-(\d{0,15})\s*$/i.exec(header ?? '')
  const [first, last] = [match?.[1] ?? '', match?.[2] ?? '']
  if (first === '' && last === '') return null
  if (first === '') {
    const from = Math.max(0, length - Number(last))
    return from < length ? { from, to: length } : 'unsatisfiable'
  }
  const from = Number(first)
  if (last !== '' && Number(last) < from) return null
  return from < length ? { from, to: last === '' ? length : Math.min(length, Number(last) + 1) } : 'unsatisfiable'
}

/** The bytes that a piece of an upload has, and the bytes of the whole. */
export type ContentRange = ByteRange & { readonly total: number }

/** Reads a `Content-Range` header of an upload; null if it is none of bytes with a total. */
export const readContentRange = (header: string): ContentRange | null => {
  const match = /^bytes (\d{1,15})-(\d{1,15})\/(\d{1,15})$/.exec(header.trim())
  if (!match) return null
  const [from, to, total] = [Number(match[1]), Number(match[2]) + 1, Number(match[3])]
  return from < to && to <= total ? { from, to, total } : null
}
