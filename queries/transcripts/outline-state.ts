import {
  BLOCK_EVENTS,
  EMPTY_OUTLINE,
  entriesOfRows,
  type OutlineEntry,
  type OutlineState,
  type rowsOfEntries,
} from '../../domain/transcript/outline.ts'
import { findOutlineRow, SPANS_ROW, STATE_ROW, type OutlineKey } from '../../storage/objects/outlines.ts'
import type { Reader } from '../../storage/storage.ts'

// The stored outline of a transcript as its parts. What is not outlined yet is not there.

type StoredRows = ReturnType<typeof rowsOfEntries>
type StoredTail = Omit<OutlineState['tail'], 'entries'> & { readonly entries: StoredRows }

/** What an outline says of the whole transcript, and its last events, which are in no block. */
export type OutlineHead = Omit<OutlineState, 'spans' | 'bins'>

/** The spans of an outline, and its picture. */
type OutlineTree = Pick<OutlineState, 'spans' | 'bins'>

/** The entries of a stored block. */
export const entriesOfBlock = (value: unknown): OutlineEntry[] => entriesOfRows(value as StoredRows)

const headOf = (value: unknown): OutlineHead => {
  const { tail, ...head } = value as Omit<OutlineHead, 'tail'> & { readonly tail: StoredTail }
  return { ...head, tail: { ...tail, entries: entriesOfRows(tail.entries) } }
}

/** The head of an outline, or that of an empty one. */
export const readOutlineHead = async (reader: Reader, key: OutlineKey): Promise<OutlineHead> => {
  const row = await reader.read(findOutlineRow(key, STATE_ROW))
  return row ? headOf(row.value) : EMPTY_OUTLINE
}

/** The whole state of an outline, as one step left it; that of an empty one before the first. */
export const readOutlineState = async (reader: Reader, key: OutlineKey): Promise<OutlineState> => {
  const { head, tree } = await reader.readAll({
    head: findOutlineRow(key, STATE_ROW),
    tree: findOutlineRow(key, SPANS_ROW),
  })
  return head && tree ? { ...headOf(head.value), ...(tree.value as OutlineTree) } : EMPTY_OUTLINE
}

/** The number of the block that has an event. */
export const blockOf = (n: number): number => Math.floor((n - 1) / BLOCK_EVENTS)

/** The entries of the n-th block; none beyond the last. */
export const readBlock = async (
  reader: Reader,
  key: OutlineKey,
  head: OutlineHead,
  n: number,
): Promise<OutlineEntry[]> => {
  const whole = Math.floor(head.totals.events / BLOCK_EVENTS)
  if (n > whole) return []
  if (n === whole) return [...head.tail.entries]
  const row = await reader.read(findOutlineRow(key, n))
  return row ? entriesOfBlock(row.value) : []
}
