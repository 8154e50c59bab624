/**
 * Escapes control characters as JSON does, so that text cannot break a line or control a terminal. In a line of JSON,
 * such characters can only be inside strings, where an escape means the same character: the JSON keeps its value.
 */
export const printable = (text: string): string => text.replace(CONTROLS, escapes)

/** Text of several lines, safe for a terminal: line breaks and tabs stay, other control characters are escaped. */
export const printableLines = (text: string): string =>
  text.replaceAll('\r\n', '\n').replace(CONTROLS, (match) => match.replace(/[^\n\t]+/g, escapes))

const CONTROLS = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu

const escapes = (characters: string): string =>
  characters.replace(/[^]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
