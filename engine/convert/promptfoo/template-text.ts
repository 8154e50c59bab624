/**
 * Writes a text with `{{ … }}` in it as one expression of the templating language: `Hi {{ name }}!` becomes
 * `("Hi " ~ (name) ~ "!")`. Null: the text has statements or comments, which no expression can hold, or a brace is not
 * closed.
 */
export const asExpression = (text: string): string | null => {
  if (/\{[%#]/.test(text)) return null
  const [first = '', ...rest] = text.split('{{')
  const parts = first === '' ? [] : [quote(first)]
  for (const piece of rest) {
    const end = piece.indexOf('}}')
    if (end === -1) return null
    // A dash next to the braces trims white space; in an expression it would be a sign.
    parts.push(`(${piece.slice(0, end).replace(/^-/, '').replace(/-$/, '').trim()})`)
    if (end + 2 < piece.length) parts.push(quote(piece.slice(end + 2)))
  }
  return parts.length < 2 ? (parts[0] ?? quote('')) : `(${parts.join(' ~ ')})`
}

/** A text as a literal of the templating language. */
const quote = (text: string): string => JSON.stringify(text)

export const hasTemplate = (text: string): boolean => /\{\{|\{%/.test(text)

/** A text without its template comments, which print nothing. */
export const withoutComments = (text: string): string => text.replace(/\{#[^]*?#\}/g, '')
