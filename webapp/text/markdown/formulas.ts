/** A formula of more characters is shown as it is stored. */
const MAX_FORMULA = 2_000
/** Lines in which the end of a formula is searched. */
const MAX_LINES = 60

/** Text between two dollars that is no formula: an amount of money has none of these signs. */
const FORMULA = /[\\^_{}=<>+]|^[\p{L}\d]$/u

/** A formula within a line: `$a^2$`, `\(a^2\)`, and `$$a^2$$`, `\[a^2\]`, which also may stand alone. Null if there is none at `from`. */
export const formulaAt = (
  text: string,
  from: number,
): { readonly end: number; readonly formula: string; readonly isBlock: boolean } | null => {
  const open = /^(?:\$\$|\\\(|\\\[|\$)/.exec(text.slice(from, from + 2))?.[0]
  if (open === undefined) return null
  const close = { '\\(': '\\)', '\\[': '\\]', $$: '$$', $: '$' }[open] ?? ''
  const start = from + open.length
  const end = text.slice(start, start + MAX_FORMULA).indexOf(close)
  if (end < 1) return null
  const formula = text.slice(start, start + end)
  // Of a single dollar: no white space inside of it and no digit after it, as in pandoc.
  if (
    open === '$' &&
    (!FORMULA.test(formula) || /^\s|\s$|\n/.test(formula) || /^\d/.test(text.slice(start + end + 1, start + end + 2)))
  )
    return null
  if (formula.trim() === '') return null
  return { end: start + end + close.length, formula, isBlock: open === '$$' || open === '\\[' }
}

/**
 * A formula that begins a line and ends one, with the line after it. It may have lines that look like a list, a heading or
 * a table.
 */
export const formulaOfLines = (
  lines: readonly string[],
  from: number,
): { readonly end: number; readonly formula: string } | null => {
  const open = /^ {0,3}(\$\$|\\\[)/.exec(lines[from] ?? '')?.[1]
  if (open === undefined) return null
  const close = open === '$$' ? '$$' : '\\]'
  for (let line = from; line < Math.min(lines.length, from + MAX_LINES); line++) {
    const text = (lines[line] ?? '').trim().slice(line === from ? 2 : 0)
    if (!text.endsWith(close)) {
      if (text.includes(close) || (line > from && text === '')) return null
      continue
    }
    const formula = lines
      .slice(from, line + 1)
      .join('\n')
      .trim()
      .slice(2, -2)
    return formula.length > MAX_FORMULA || formula.trim() === '' || formula.includes(close)
      ? null
      : { end: line + 1, formula }
  }
  return null
}
