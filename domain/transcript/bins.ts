// How many events there were when, for the picture of a transcript: at most a thousand bins of equal width. The times are read once, in the
// order of the file, and may go back or lie far apart, so the bins become wider as they have to.

/** The number of a bin, its events, its errors, and the number of its first event. */
export type Bin = [bin: number, events: number, errors: number, first: number]

/** `lane` is the number of the span of an agent, or 0 for what is in none. A bin begins at its number times `width`. */
export type Bins = {
  readonly width: number
  readonly lanes: ReadonlyArray<{ readonly lane: number; readonly bins: Bin[] }>
}

export const MAX_BINS = 1000

/** Lanes of a picture; what agents do beyond these is in the lane 0. */
const MAX_LANES = 12

/** Counts events in bins, from earlier ones on. */
export const binCounter = (from: Bins | null) => {
  let width = from?.width ?? 1
  let lanes = new Map<number, Map<number, Bin>>(
    from?.lanes.map(({ lane, bins }) => [lane, new Map(bins.map((bin) => [bin[0], [...bin]]))]),
  )
  let low = Number.POSITIVE_INFINITY
  let high = Number.NEGATIVE_INFINITY
  const widen = (n: number): void => {
    low = Math.min(low, n)
    high = Math.max(high, n)
  }
  for (const bins of lanes.values()) for (const n of bins.keys()) widen(n)

  const merge = (lane: Map<number, Bin>, [bin, events, errors, first]: Bin): void => {
    const found = lane.get(bin)
    lane.set(
      bin,
      found ? [bin, found[1] + events, found[2] + errors, Math.min(found[3], first)] : [bin, events, errors, first],
    )
  }
  const doubleWidth = (): void => {
    width *= 2
    lanes = new Map(
      [...lanes].map(([lane, bins]) => {
        const merged = new Map<number, Bin>()
        for (const [bin, ...counts] of bins.values()) merge(merged, [Math.floor(bin / 2), ...counts])
        return [lane, merged]
      }),
    )
    low = Math.floor(low / 2)
    high = Math.floor(high / 2)
  }

  return {
    add: (lane: number, at: number, n: number, isError: boolean): void => {
      const known = lanes.has(lane) || lanes.size < MAX_LANES ? lane : 0
      const bins = () => lanes.get(known) ?? new Map<number, Bin>()
      widen(Math.floor(at / width))
      while (high - low >= MAX_BINS) doubleWidth()
      const own = bins()
      merge(own, [Math.floor(at / width), 1, isError ? 1 : 0, n])
      lanes.set(known, own)
    },
    bins: (): Bins | null =>
      lanes.size === 0
        ? null
        : {
            width,
            lanes: [...lanes]
              .map(([lane, bins]) => ({ lane, bins: [...bins.values()].toSorted((a, b) => a[0] - b[0]) }))
              .toSorted((a, b) => a.lane - b.lane),
          },
  }
}
