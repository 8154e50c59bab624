import { equal } from './bytes.ts'
import type { CheckedReceipt } from './check.ts'
import { ProofFailed } from './failed.ts'

/**
 * In which order records were recorded. Not comparable: they are of different logs. `indexes` are those of the records,
 * from 0, the earliest first, each once.
 */
export type ReceiptOrder =
  | { readonly comparable: true; readonly indexes: readonly number[] }
  | { readonly comparable: false }

/**
 * Compares receipts that are good; null for fewer than two. Throws `ProofFailed` 10 if a log signed two different roots of
 * one size, or two records of one index: each receipt is good alone, and together they show that the log was forked.
 */
export const compareReceipts = (receipts: readonly CheckedReceipt[]): ReceiptOrder | null => {
  const [first] = receipts
  if (!first || receipts.length < 2) return null
  for (const [n, a] of receipts.entries())
    for (const b of receipts.slice(n + 1)) if (a.checkpoint.origin === b.checkpoint.origin) refuseFork(a, b)
  if (receipts.some(({ checkpoint }) => checkpoint.origin !== first.checkpoint.origin)) return { comparable: false }
  return { comparable: true, indexes: [...new Set(receipts.map(({ index }) => index))].toSorted((a, b) => a - b) }
}

const refuseFork = (a: CheckedReceipt, b: CheckedReceipt): void => {
  const { origin, size } = a.checkpoint
  if (size === b.checkpoint.size && !equal(a.checkpoint.root, b.checkpoint.root))
    throw new ProofFailed(
      10,
      `${JSON.stringify(origin)} signed two different roots of ${size} records: it showed two histories. Keep both receipts, they are the evidence`,
    )
  if (a.index === b.index && !equal(a.leaf, b.leaf))
    throw new ProofFailed(
      10,
      `${JSON.stringify(origin)} signed two different records of number ${a.index + 1}: it showed two histories. Keep both receipts, they are the evidence`,
    )
}
