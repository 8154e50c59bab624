/** A number in free-form JSON that a double cannot represent: its digits as text. */
export class ExactNumber {
  readonly digits: string
  constructor(digits: string) {
    this.digits = digits
  }
  toJSON(): unknown {
    // A browser with JSON.rawJSON writes the number as it was read; in others, a string preserves the digits.
    return rawJSON === undefined ? this.digits : rawJSON(this.digits)
  }
}

type Reviver = (this: unknown, key: string, value: unknown, context?: { readonly source?: string }) => unknown
const { rawJSON } = JSON as unknown as { readonly rawJSON?: (text: string) => unknown }

/** Matches JSON text that may contain a number that a double cannot represent. */
export const mayLoseDigits = /\d{16}|\d[eE]\+?\d{3}/

/**
 * Turns numbers that a double cannot represent into ExactNumber. Older browsers pass no source text; there, numbers are
 * rounded.
 */
const preserveDigits: Reviver = (_key, value, context) => {
  const source = context?.source
  if (typeof value !== 'number' || source === undefined || !mayLoseDigits.test(source)) return value
  const isLost =
    !Number.isFinite(value) ||
    (Number.isInteger(value) ? !Number.isSafeInteger(value) : source.replace(/^-?0?\.?0*|[eE].*|\./g, '').length > 17)
  return isLost ? new ExactNumber(source) : value
}

const parse = JSON.parse as (text: string, reviver: Reviver) => unknown

/** Parses JSON for display: numbers keep all their digits. Throws: SyntaxError. */
export const parseShown = (text: string): unknown =>
  mayLoseDigits.test(text) ? parse(text, preserveDigits) : JSON.parse(text)
