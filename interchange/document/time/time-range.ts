/** Collects the times of the parts of a run: when the first began and the last ended. Times are RFC 3339 with an offset. */
export const timeRange = () => {
  let first: string | null = null
  let last: string | null = null
  return {
    add: (start: string | null, end: string | null): void => {
      for (const time of [start, end]) {
        if (time === null) continue
        if (first === null || Date.parse(time) < Date.parse(first)) first = time
        if (last === null || Date.parse(time) > Date.parse(last)) last = time
      }
    },
    first: (): string | null => first,
    last: (): string | null => last,
  }
}
