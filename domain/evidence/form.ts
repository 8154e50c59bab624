// A form with files (RFC 7578), read from memory: each file is a slice of the body.

/** A body is no form. The message says why. */
export class InvalidForm extends Error {
  override readonly name = 'InvalidForm'
}

/** A field of a form, with its bytes as they are. */
export type FormField = { readonly name: string; readonly bytes: Buffer }

const CRLF = '\r\n'
const END_OF_HEADERS = Buffer.from(CRLF + CRLF)
const MAX_HEADER_BYTES = 4096

/** The boundary that a Content-Type names; null if it is that of no form. */
export const formBoundary = (contentType: string): string | null => {
  const match = /^\s*multipart\/form-data\s*;(?:[^"]|"[^"]*")*?\bboundary=(?:"([^"]{1,70})"|([^\s;"]{1,70}))/i.exec(
    contentType,
  )
  return match?.[1] ?? match?.[2] ?? null
}

/** The fields of a form, in order, at most `max`. Throws `InvalidForm`. */
export const readForm = (body: Buffer, boundary: string, max: number): FormField[] => {
  const fields: FormField[] = []
  const delimiter = Buffer.from(`${CRLF}--${boundary}`)
  // The first delimiter may begin the body.
  const isFirst = body.subarray(0, delimiter.length - 2).equals(delimiter.subarray(2))
  let at = isFirst ? delimiter.length - 2 : after(body.indexOf(delimiter), delimiter.length)
  for (;;) {
    const next = body.toString('latin1', at, at + 2)
    if (next === '--') return fields
    if (next !== CRLF) throw new InvalidForm('a boundary is not followed by a line break')
    if (fields.length === max) throw new InvalidForm(`a form has at most ${max} parts`)
    const start = at + 2
    const end = body.subarray(start, start + MAX_HEADER_BYTES).indexOf(END_OF_HEADERS)
    if (end < 0) throw new InvalidForm('a part has no headers, or too long ones')
    const headers = body.toString('latin1', start, start + end)
    const [, name] = /^content-disposition:[^\r\n]*;[ \t]*name="([^"\r\n]*)"/im.exec(headers) ?? []
    if (name === undefined) throw new InvalidForm('a part has no name')
    const from = start + end + END_OF_HEADERS.length
    const to = body.indexOf(delimiter, from)
    fields.push({ name, bytes: body.subarray(from, after(to, 0)) })
    at = to + delimiter.length
  }
}

const after = (found: number, length: number): number => {
  if (found < 0) throw new InvalidForm('the last boundary is missing')
  return found + length
}
