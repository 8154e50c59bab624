// Comma-separated values (RFC 4180): lines end with CRLF, and a field with a comma, a quote or a line break is quoted.

/** A spreadsheet takes a field that begins with one of these characters for a formula. */
const FORMULA_START = /^[=+\-@\t\r\n']/
const NEEDS_QUOTES = /[",\r\n]/

const quoted = (text: string): string => `"${text.replaceAll('"', '""')}"`

/**
 * Text as a field. A text that a spreadsheet would run as a formula gets a leading apostrophe, and so does a text that
 * begins with one. So a reader of the file can remove it again (OWASP, "CSV injection").
 */
const textField = (text: string): string => plainField(FORMULA_START.test(text) ? `'${text}` : text)

const plainField = (text: string): string => (NEEDS_QUOTES.test(text) ? quoted(text) : text)

export type CsvField = string | number | boolean | null

/** One line. Null is an empty field. Numbers are written as they are, a minus included. */
export const csvLine = (fields: readonly CsvField[]): string =>
  `${fields.map((field) => (field === null ? '' : typeof field === 'string' ? textField(field.toWellFormed()) : String(field))).join(',')}\r\n`

/**
 * One line from which every field can be read back: null is an empty field, the empty text a pair of quotes. With `raw`
 * no field gets an apostrophe, and a spreadsheet may run what it contains.
 */
export const exactCsvLine = (fields: readonly CsvField[], raw: boolean): string => {
  const field = raw ? plainField : textField
  return `${fields
    .map((value) => {
      if (value === null) return ''
      if (typeof value !== 'string') return String(value)
      return value === '' ? '""' : field(value.toWellFormed())
    })
    .join(',')}\r\n`
}
