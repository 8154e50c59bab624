/** A fenced block of a page. */
export type Block = {
  readonly language: string
  readonly text: string
  /** The line of its first fence, from 1. */
  readonly line: number
  /** The file that the block is: named by a comment in its first line, or by `<!-- file: name -->` above it. */
  readonly file: string | null
}

/** A command of a session, and what it prints: `…` stands for any text in a line, and alone for any lines. */
type Step = { readonly command: string; readonly expected: string; readonly line: number }

const FILE_COMMENT = /^(?:#|\/\/) ([\w./-]+\.\w+)$/

/** The fenced blocks of a page in Markdown. Throws if a fence is not closed. */
export const blocksOf = (markdown: string): readonly Block[] => {
  const lines = markdown.split('\n')
  const blocks: Block[] = []
  for (let index = 0; index < lines.length; index++) {
    const language = /^```(\w+)$/.exec(lines[index]!)?.[1]
    if (language === undefined) continue
    const end = lines.indexOf('```', index + 1)
    if (end === -1) throw new Error(`line ${index + 1}: the block is not closed`)
    const content = lines.slice(index + 1, end)
    const above = lines.slice(Math.max(0, index - 2), index).join('\n')
    const file = /<!-- file: (\S+) -->\s*$/.exec(above)?.[1] ?? FILE_COMMENT.exec(content[0] ?? '')?.[1] ?? null
    blocks.push({ language, text: content.map((line) => `${line}\n`).join(''), line: index + 1, file })
    index = end
  }
  return blocks
}

/**
 * The commands of a `sh` block, each after `$ `. A here-document belongs to its command, and so does the line after a
 * backslash. Throws for other lines.
 */
export const stepsOf = (block: Block): readonly Step[] => {
  const lines = block.text.trimEnd().split('\n')
  const steps: Step[] = []
  for (let index = 0; index < lines.length;) {
    const start = index
    let command = /^\$ (.+)$/.exec(lines[index]!)?.[1]
    if (command === undefined) throw new Error(`line ${block.line + index + 1}: not a command after "$ "`)
    const last = /<<'(\w+)'/.exec(command)?.[1]
    index++
    while (command.endsWith('\\') && index < lines.length) command += `\n${lines[index++]!}`
    if (last !== undefined) {
      const end = lines.indexOf(last, index)
      if (end === -1) throw new Error(`line ${block.line + start + 1}: the here-document does not end`)
      command = [command, ...lines.slice(index, end + 1)].join('\n')
      index = end + 1
    }
    const output = index
    while (index < lines.length && !lines[index]!.startsWith('$ ')) index++
    const expected = lines.slice(output, index).map((line) => `${line}\n`)
    steps.push({ command, expected: expected.join(''), line: block.line + start + 1 })
  }
  return steps
}

/** Whether what was printed is what the page shows. White space at the end of lines does not count. */
export const matches = (expected: string, printed: string): boolean => {
  const pattern = expected
    .split('\n')
    .slice(0, -1)
    .map((line) =>
      line === '…'
        ? '(?:.*\\n)*?'
        : `${line
            .split('…')
            .map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
            .join('.*')} *\\n`,
    )
  return new RegExp(`^${pattern.join('')}$`).test(printed)
}
