import type { ProofCode } from '../../domain/proof/failed.ts'
import { visibleLine } from '../text/visible-text.ts'
import type { ReceiptFact } from './receipt-facts.ts'

/**
 * The result of a check: what the receipt shows and what would show more, or why it is refused. `code` is the exit code of
 * the command that checks receipts; 2: something is still missing.
 */
export type Outcome =
  | { readonly ok: true; readonly facts: readonly ReceiptFact[]; readonly hints: readonly string[] }
  | {
      readonly ok: false
      readonly code: Code
      readonly title: string
      readonly message: string
      readonly facts: readonly ReceiptFact[]
    }

/** 2: something is still missing; 12: parts of the evidence are. */
type Code = ProofCode | 2 | 12

export const TITLES = {
  2: 'Not checked',
  10: 'Altered',
  12: 'Parts are missing',
  14: 'Not trusted',
  15: 'Not witnessed',
  20: 'Not a receipt',
} as const

/** A refusal. `sentence` has no full stop, and may begin with a small letter. */
export const refusal = (
  code: Code,
  sentence: string,
  { title = TITLES[code], facts = [] }: { title?: string; facts?: readonly ReceiptFact[] } = {},
): Outcome => {
  const shown = visibleLine(sentence)
  return { ok: false, code, title, message: `${shown.slice(0, 1).toUpperCase()}${shown.slice(1)}.`, facts }
}
