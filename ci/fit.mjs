// Cuts a summary to the size that GitHub takes.

/** Characters of a comment. GitHub takes 65,536. */
export const MAX_COMMENT_CHARACTERS = 60_000
/** Bytes of the summary of a step. GitHub takes 1 MiB. */
export const MAX_SUMMARY_BYTES = 900 * 1024

export const characters = (text) => text.length
export const bytes = (text) => Buffer.byteLength(text)

const counted = (count, noun) => `${count} ${noun}${count === 1 ? '' : 's'}`

/** Space for the note of what was left out. */
const NOTE = 200

/**
 * A summary of at most `limit`, measured by `size`. Diffs are left out first, the last one first, then rows of tables, the last
 * one first, then other lines; a note says how many. `page` is the address of the whole results; an empty text if there is none.
 */
export const fit = (markdown, { limit, size, page }) => {
  if (size(markdown) <= limit) return markdown
  const blocks = markdownBlocks(markdown)
  const room = limit - NOTE - size(page)
  let used = size(markdown)
  const left = []
  for (const kind of ['diff', 'row', 'line']) {
    let count = 0
    for (let index = blocks.length - 1; index >= 0 && used > room; index--) {
      if (blocks[index].kind !== kind) continue
      used -= size(blocks[index].text)
      count++
      blocks.splice(index, 1)
    }
    if (count > 0) left.push(counted(count, kind))
  }
  const rest = blocks.map(({ text }) => text).join('')
  return `${rest}\n_Left out: ${left.join(', ')}._${page === '' ? '' : ` [View run](${page})`}\n`
}

/** The parts of a summary in their order: diffs, rows of tables, and the rest line by line. Each ends with its line break. */
const markdownBlocks = (markdown) => {
  const blocks = []
  const all = markdown.split(/(?<=\n)/)
  for (let index = 0; index < all.length; index++) {
    const line = all[index]
    if (line.startsWith('<details>')) {
      // The lines of a diff begin with a sign, so this line is no part of one.
      const end = all.findIndex((other, at) => at > index && other.trimEnd() === '</details>')
      const last = end === -1 ? index : end
      blocks.push({ kind: 'diff', text: all.slice(index, last + 1).join('') })
      index = last
    } else if (line.startsWith('| ') && all[index - 1]?.startsWith('|') && !all[index + 1]?.startsWith('|---'))
      blocks.push({ kind: 'row', text: line })
    else blocks.push({ kind: 'line', text: line })
  }
  return blocks
}
