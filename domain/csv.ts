// Comma-separated values (RFC 4180): lines end with CRLF, and a field with a comma, a quote or a line break is quoted.

/** A spreadsheet takes a field that begins with one of these characters for a formula. */
const FORMULA_START = /^[=+\-@\t\r\n']/
const NEEDS_QUOTES = /[",\r\n]/

/**
 * Text as a field. A text that a spreadsheet would run as a formula gets a leading apostrophe, and so does a text that
 * begins with one. So a reader of the file can remove it again (OWASP, "CSV injection").
 */
const textField = (text: string): string => {
  const safe = FORMULA_START.test(text) ? `'${text}` : text
  return NEEDS_QUOTES.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

/** One line. Null is an empty field. Numbers are written as they are, a minus included. */
export const csvLine = (fields: ReadonlyArray<string | number | boolean | null>): string =>
  `${fields.map((field) => (field === null ? '' : typeof field === 'string' ? textField(field.toWellFormed()) : String(field))).join(',')}\r\n`
