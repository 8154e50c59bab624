/** The numbers of a cell that are not just those from 0 on: all below `dense`, and `others`. */
type Used = { readonly dense: number; readonly others: Set<number>; next: number }

/**
 * Numbers the trials of each cell: by the wanted number if it is free, else by the next free one from the number of trials
 * on (`isNext`). The search continues where it ended before, so the steps grow linearly with the trials. Most cells have
 * trials in order, and then only their number is stored: a set for each cell would take most of the memory of an import.
 */
export const repeatCounter = (onStep: () => void = () => {}) => {
  const cells = new Map<string, number | Used>()
  return (cell: string, wanted: number | null): { readonly repeat: number; readonly isNext: boolean } => {
    const known = cells.get(cell) ?? 0
    if (typeof known === 'number') {
      const isInOrder = wanted === null || wanted <= known
      cells.set(cell, isInOrder ? known + 1 : { dense: known, others: new Set([wanted]), next: 0 })
      return isInOrder ? { repeat: known, isNext: wanted !== known } : { repeat: wanted, isNext: false }
    }
    const { dense, others } = known
    const isFree = wanted !== null && wanted >= dense && !others.has(wanted)
    let repeat = isFree ? wanted : Math.max(known.next, dense + others.size)
    if (!isFree) {
      for (; others.has(repeat); repeat++) onStep()
      known.next = repeat + 1
    }
    others.add(repeat)
    return { repeat, isNext: !isFree }
  }
}
