import { shallowRef, triggerRef } from 'vue'
import type { EventsView, OutlineItem } from './use-transcript.ts'

/** Neighbours of the same kind in the list: their first and last row. Folded, only the first is shown. */
export type Run = { readonly first: number; readonly last: number; readonly isOpen: boolean }

/** What folds, and how many neighbours at least. What was said, and what decides a case, never does. */
const FEWEST: Readonly<Partial<Record<OutlineItem['type'], number>>> = {
  tool: 5,
  state: 3,
  log: 3,
  approval: 3,
  other: 3,
  span_end: 3,
}

const isAlike = (a: OutlineItem | undefined, b: OutlineItem | undefined): boolean =>
  a !== undefined &&
  b !== undefined &&
  a.type in FEWEST &&
  a.type === b.type &&
  a.name === b.name &&
  a.span === b.span &&
  !a.error &&
  !b.error

/** Folds equal neighbours among the events whose lines are known. `isShown`: whether an event is never folded away; the chosen one unfolds its run. */
export const useFolds = (events: EventsView, isShown: (n: number) => boolean, chosen: () => number) => {
  /** The run of each row that is in one. */
  const runs = shallowRef(new Map<number, Run>())
  /** Events that were unfolded: a run that has one of them is open. */
  const opened = new Set<number>()
  /** The chosen event when its run was folded: that one does not unfold it. */
  let left = 0
  const lineOf = (row: number): OutlineItem | undefined => events.lines.get(events.numberAt(row))
  const isHidden = (row: number): boolean => {
    const run = runs.value.get(row)
    return run !== undefined && !run.isOpen && row > run.first
  }

  const isOpenRun = (first: number, last: number): boolean => {
    for (let row = first; row <= last; row++) {
      const n = events.numberAt(row)
      if (row > first && n === chosen() && n !== left) opened.add(n)
      if (opened.has(n) || isShown(n)) return true
    }
    return false
  }
  /** Folds rows around those from one to another. Returns the rows that appear or disappear. */
  const look = (from: number, to: number): number[] => {
    let [first, last] = [from, Math.min(to, events.count.value - 1)]
    while (first > 0 && isAlike(lineOf(first - 1), lineOf(first))) first--
    while (isAlike(lineOf(last), lineOf(last + 1))) last++
    const changed: number[] = []
    const set = (row: number, run: Run | undefined): void => {
      const before = runs.value.get(row)
      if (before?.first === run?.first && before?.last === run?.last && before?.isOpen === run?.isOpen) return
      const wasHidden = isHidden(row)
      if (run) runs.value.set(row, run)
      else runs.value.delete(row)
      if (wasHidden !== isHidden(row)) changed.push(row)
      isChanged = true
    }
    let isChanged = false
    for (let row = first; row <= last;) {
      let end = row
      while (end < last && isAlike(lineOf(end), lineOf(end + 1))) end++
      const type = lineOf(row)?.type
      const isRun = type !== undefined && end - row + 1 >= (FEWEST[type] ?? Number.POSITIVE_INFINITY)
      const run = isRun ? { first: row, last: end, isOpen: isOpenRun(row, end) } : undefined
      for (; row <= end; row++) set(row, run)
    }
    if (isChanged) triggerRef(runs)
    return changed
  }

  return {
    look,
    isHidden,
    runAt: (row: number): Run | undefined => runs.value.get(row),
    /** The next row that is shown; the same one at the end of the list. */
    next: (row: number, by: 1 | -1): number => {
      const run = runs.value.get(row)
      const after = by > 0 && run && !run.isOpen ? run.last + 1 : row + by
      if (after < 0 || after >= events.count.value) return row
      return isHidden(after) ? (runs.value.get(after)?.first ?? after) : after
    },
    open: (row: number): void => {
      left = 0
      opened.add(events.numberAt(row))
    },
    fold: ({ first, last }: Run): void => {
      left = chosen()
      for (let row = first; row <= last; row++) opened.delete(events.numberAt(row))
    },
    /** Forgets all runs: the rows are others now. */
    clear: (): void => {
      runs.value.clear()
      triggerRef(runs)
    },
  }
}
export type Folds = ReturnType<typeof useFolds>
