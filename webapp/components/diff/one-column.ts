import type { DiffLine, DiffRow } from './text-diff.ts'

/** A line of one column: of both sides (then as in the head), or of one. */
export type ColumnLine = { readonly side: 'same' | 'base' | 'head'; readonly line: DiffLine }

/**
 * The lines of rows one below the other. Lines that are compared by words follow each other; of lines that are changed
 * as a whole, those of the base come first.
 */
export const oneColumn = (rows: readonly DiffRow[]): ColumnLine[] => {
  const lines: ColumnLine[] = []
  let [bases, heads]: [ColumnLine[], ColumnLine[]] = [[], []]
  const flush = (): void => {
    lines.push(...bases, ...heads)
    ;[bases, heads] = [[], []]
  }
  for (const { base, head, isSame } of rows) {
    const isCompared = base !== null && head !== null && !base.isWhole && !head.isWhole
    if (isSame || isCompared) flush()
    if (isSame) {
      const line = head ?? base
      if (line) lines.push({ side: 'same', line })
      continue
    }
    if (base) bases.push({ side: 'base', line: base })
    if (head) heads.push({ side: 'head', line: head })
    if (isCompared) flush()
  }
  flush()
  return lines
}
