import type { CaseStatus } from '../../domain/run/document.ts'

type Style = 'good' | 'bad' | 'warning' | 'quiet' | 'strong'

/** Puts a text in a style. The text has no escape sequences of its own. */
export type Paint = (style: Style, text: string) => string

/** SGR parameters (ECMA-48). */
const CODES: Readonly<Record<Style, string>> = { good: '32', bad: '31', warning: '33', quiet: '2', strong: '1' }

/** A paint for a terminal, or one that leaves every text as it is. */
export const paintOf = (isColoured: boolean): Paint =>
  isColoured ? (style, text) => (text === '' ? '' : `\x1b[${CODES[style]}m${text}\x1b[0m`) : (_style, text) => text

/** How a status is written, and its style. */
export const GLYPHS: Readonly<Record<CaseStatus, readonly [text: string, style: Style]>> = {
  pass: ['PASS', 'good'],
  fail: ['FAIL', 'bad'],
  error: ['ERR', 'bad'],
  skip: ['SKIP', 'quiet'],
  xfail: ['XFAIL', 'quiet'],
  xpass: ['XPASS', 'warning'],
}
