/**
 * Runs work for every item, at most `concurrency` at once, and starts it in the order of the items. Returns the results
 * in that order. After `isStopped` nothing more is started. If work throws, nothing more is started, and the first error
 * is thrown when all started work has ended.
 */
export const inOrder = async <T, R>(
  items: readonly T[],
  concurrency: number,
  work: (item: T) => Promise<R>,
  isStopped: () => boolean,
): Promise<ReadonlyArray<R | undefined>> => {
  const results: Array<R | undefined> = Array.from({ length: items.length })
  let next = 0
  const errors: unknown[] = []
  const worker = async (): Promise<void> => {
    while (next < items.length && errors.length === 0 && !isStopped()) {
      const index = next++
      try {
        results[index] = await work(items[index]!)
      } catch (error) {
        errors.push(error)
      }
    }
  }
  await Promise.all(Array.from({ length: Math.min(Math.max(1, concurrency), items.length) }, worker))
  if (errors.length > 0) throw errors[0]
  return results
}
