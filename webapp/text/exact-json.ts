/** A number of free-form JSON that a double does not hold: its text, digit by digit. */
export class ExactNumber {
  readonly digits: string
  constructor(digits: string) {
    this.digits = digits
  }
  toJSON(): unknown {
    // Where a browser can write a number as it was read, it does; elsewhere a text keeps the digits at least.
    return rawJSON === undefined ? this.digits : rawJSON(this.digits)
  }
}

type Reviver = (this: unknown, key: string, value: unknown, context?: { readonly source?: string }) => unknown
const { rawJSON } = JSON as unknown as { readonly rawJSON?: (text: string) => unknown }

/** Whether JSON text may hold a number that a double does not. */
export const mayLoseDigits = /\d{16}|\d[eE]\+?\d{3}/

/**
 * Numbers that a double does not hold become ExactNumber. Older browsers do not tell the source; they round, as they
 * always did.
 */
const keepDigits: Reviver = (_key, value, context) => {
  const source = context?.source
  if (typeof value !== 'number' || source === undefined || !mayLoseDigits.test(source)) return value
  const isLost =
    !Number.isFinite(value) ||
    (Number.isInteger(value) ? !Number.isSafeInteger(value) : source.replace(/^-?0?\.?0*|[eE].*|\./g, '').length > 17)
  return isLost ? new ExactNumber(source) : value
}

const parse = JSON.parse as (text: string, reviver: Reviver) => unknown

/** Reads JSON whose numbers are shown as they were written. Throws: SyntaxError. */
export const parseShown = (text: string): unknown =>
  mayLoseDigits.test(text) ? parse(text, keepDigits) : JSON.parse(text)
