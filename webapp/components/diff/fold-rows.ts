import type { DiffRow } from './text-diff.ts'

/** Rows to show, or rows that are folded into one line until they are asked for. */
export type Part =
  | { readonly kind: 'rows'; readonly rows: readonly DiffRow[] }
  | { readonly kind: 'fold'; readonly of: 'same' | 'base' | 'head'; readonly rows: readonly DiffRow[] }

/** Rows in a run up to which none is folded. */
const MAX_RUN = 5
/** Rows of a fold that stay visible at each end that borders on other rows. */
const CONTEXT = 2

const rowKind = ({ base, head, isSame }: DiffRow): 'same' | 'base' | 'head' | 'both' =>
  isSame ? 'same' : head === null ? 'base' : base === null ? 'head' : 'both'

/** Folds long runs of rows that are unchanged, or on one side only; the rows next to other rows stay. */
export const foldRows = (rows: readonly DiffRow[]): Part[] => {
  const parts: Part[] = []
  const show = (some: readonly DiffRow[]): void => {
    if (some.length === 0) return
    const last = parts.at(-1)
    if (last?.kind === 'rows') parts[parts.length - 1] = { kind: 'rows', rows: [...last.rows, ...some] }
    else parts.push({ kind: 'rows', rows: some })
  }
  for (let start = 0; start < rows.length;) {
    const [first] = rows.slice(start, start + 1)
    const kind = first ? rowKind(first) : 'both'
    let end = start + 1
    for (let row = rows[end]; row && rowKind(row) === kind; row = rows[end]) end++
    const run = rows.slice(start, end)
    const [lead, tail] = kind === 'same' ? [start === 0 ? 0 : CONTEXT, end === rows.length ? 0 : CONTEXT] : [CONTEXT, 0]
    if (kind === 'both' || run.length <= MAX_RUN) show(run)
    else {
      show(run.slice(0, lead))
      parts.push({ kind: 'fold', of: kind, rows: run.slice(lead, run.length - tail) })
      show(run.slice(run.length - tail))
    }
    start = end
  }
  return parts
}
