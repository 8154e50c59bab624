import type { MarkdownIt } from 'markdown-it'

/** A formula of more characters is shown as it is stored. */
const MAX_FORMULA = 2_000
/** Lines in which the end of a formula is searched. */
const MAX_LINES = 60

/** Text between two dollars that is no formula: an amount of money has none of these signs. */
const FORMULA = /[\\^_{}=<>+]|^[\p{L}\d]$/u

/** Formulas within a line: `$a^2$`, `\(a^2\)`, and `$$a^2$$`, `\[a^2\]`, which also may stand alone. */
const inLine = (
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

/** Adds tokens of the type `math`: `content` is the formula in LaTeX, `block` whether it stands alone. */
export const mathRules = (markdown: MarkdownIt): void => {
  markdown.inline.ruler.before('escape', 'math', (state, silent) => {
    const found = inLine(state.src, state.pos)
    if (!found) return false
    if (!silent) {
      const token = state.push('math', '', 0)
      token.content = found.formula
      token.block = found.isBlock
    }
    state.pos = found.end
    return true
  })
  // Alone on its lines, a formula may have lines that look like a list, a heading or a table.
  markdown.block.ruler.before(
    'fence',
    'math',
    (state, startLine, endLine, silent) => {
      const start = (state.bMarks[startLine] ?? 0) + (state.tShift[startLine] ?? 0)
      const open = state.src.slice(start, start + 2)
      if (open !== '$$' && open !== '\\[') return false
      const close = open === '$$' ? '$$' : '\\]'
      for (let line = startLine; line < endLine && line < startLine + MAX_LINES; line++) {
        const from = line === startLine ? start + 2 : (state.bMarks[line] ?? 0) + (state.tShift[line] ?? 0)
        const text = state.src.slice(from, state.eMarks[line]).trimEnd()
        if (!text.endsWith(close)) {
          if (text.includes(close) || (line > startLine && text === '')) return false
          continue
        }
        const formula = state
          .getLines(startLine, line + 1, state.blkIndent, false)
          .trim()
          .slice(2, -2)
        if (formula.length > MAX_FORMULA || formula.trim() === '' || formula.includes(close)) return false
        if (silent) return true
        const token = state.push('math', '', 0)
        token.content = formula
        token.block = true
        token.map = [startLine, line + 1]
        state.line = line + 1
        return true
      }
      return false
    },
    { alt: ['paragraph', 'blockquote', 'list'] },
  )
}
