/**
 * A part of a stored text by what it is in Markdown. The text is never changed: signs such as `#` and `*` stay. `indent`
 * is the width, in characters, of what stands before the words of a list item.
 */
export type Block =
  | { readonly kind: 'text' | 'blank' | 'heading' | 'fence'; readonly text: string }
  | { readonly kind: 'item'; readonly text: string; readonly indent: number }
  | { readonly kind: 'code'; readonly text: string; readonly language: string | null }

type Fence = { readonly start: number; readonly end: number; readonly language: string | null }

const OPENING = /^ {0,12}(?:[-*+] +)?(`{3,}|~{3,})[ \t]*([\w+#.-]{0,30})[^\n`]{0,200}$/
const HEADING = /^ {0,3}#{1,6}[ \t]+\S|^\*\*[^*\n]{1,200}\*\*:?[ \t]*$/
const ITEM = /^[ \t]{0,24}(?:[-*+•]|\d{1,4}[.)])[ \t]+(?=\S)/
/** Lists in lists are indented up to here; deeper ones, and lines of other texts that look like lists, are not. */
const MAX_INDENT = 24

const lineEnd = (text: string, from: number): number => {
  const end = text.indexOf('\n', from)
  return end === -1 ? text.length : end + 1
}

/**
 * The code between fences in a text: from the line after the opening fence to the line with the closing one, or to the end
 * of the text.
 */
export const fencesOf = (text: string): Fence[] => {
  const fences: Fence[] = []
  let open: { readonly sign: string; readonly start: number; readonly language: string | null } | null = null
  // Most texts have no fence, so lines are only read when one is in sight.
  if (!text.includes('```') && !text.includes('~~~')) return fences
  for (let start = 0; start < text.length;) {
    const end = lineEnd(text, start)
    const line = text.slice(start, Math.min(end, start + 300)).replace(/\r?\n$/, '')
    if (open) {
      const closing = line.trim()
      if (closing.startsWith(open.sign) && closing === (open.sign[0] ?? '').repeat(closing.length)) {
        fences.push({ start: open.start, end: start, language: open.language })
        open = null
      }
    } else {
      const [, sign, language] = OPENING.exec(line) ?? []
      if (sign !== undefined) open = { sign, start: end, language: language?.toLowerCase() || null }
    }
    start = end
  }
  if (open) fences.push({ start: open.start, end: text.length, language: open.language })
  return fences
}

/** Splits lines outside of code into blocks; lines of plain text that follow each other are one block. */
const proseBlocks = (text: string): Block[] => {
  const blocks: Block[] = []
  let plainStart = 0
  const endPlain = (end: number): void => {
    if (end > plainStart) blocks.push({ kind: 'text', text: text.slice(plainStart, end) })
  }
  for (let start = 0; start < text.length;) {
    const end = lineEnd(text, start)
    const line = text.slice(start, Math.min(end, start + 300)).replace(/\r?\n$/, '')
    const isFence = OPENING.test(line)
    const item = isFence ? null : ITEM.exec(line)
    const isBlank = line.trim() === ''
    if (isFence || item || isBlank || HEADING.test(line)) {
      endPlain(start)
      const whole = text.slice(start, end)
      if (item) blocks.push({ kind: 'item', text: whole, indent: Math.min(MAX_INDENT, item[0].length) })
      else blocks.push({ kind: isFence ? 'fence' : isBlank ? 'blank' : 'heading', text: whole })
      plainStart = end
    }
    start = end
  }
  endPlain(text.length)
  return blocks
}

/**
 * The blocks of the part of a text between two positions. Joined, they are that part. `fences` are those of the whole
 * text.
 */
export const blocksBetween = (text: string, fences: readonly Fence[], from: number, to: number): Block[] => {
  const blocks: Block[] = []
  let position = from
  for (const { start, end, language } of fences) {
    if (end <= position || start >= to) continue
    if (start > position) blocks.push(...proseBlocks(text.slice(position, start)))
    const codeStart = Math.max(position, start)
    const codeEnd = Math.min(end, to)
    if (codeEnd > codeStart) blocks.push({ kind: 'code', text: text.slice(codeStart, codeEnd), language })
    position = codeEnd
  }
  if (position < to) blocks.push(...proseBlocks(text.slice(position, to)))
  return blocks
}
