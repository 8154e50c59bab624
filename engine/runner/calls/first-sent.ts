import type { CaseDocument } from '../run-document.ts'

/** A call of a case that the cache may have answered, and what of the case came of it. */
export type CacheableCall = {
  readonly key: string
  /** The index of an assertion; null: nothing, because the chain passed the provider over. */
  readonly gave: 'answer' | number | null
}

/** A case and its calls, in the order in which they were made. */
type CalledCase = { readonly document: CaseDocument; readonly calls: readonly CacheableCall[] }

/**
 * Which of several equal calls is sent depends on the concurrency where one of them comes late, as a fallback or a
 * check. In the document the first of them in the order of the cells, and within a case in the order of its calls, is the
 * one that was sent, and the others are cached. `sent`: how often each key was sent and answered.
 */
export const withFirstSent = <T extends CalledCase>(
  cases: readonly T[],
  sent: ReadonlyMap<string, number>,
): readonly T[] => {
  const left = new Map(sent)
  const isCached = (key: string): boolean => {
    const count = left.get(key) ?? 0
    left.set(key, count - 1)
    return count <= 0
  }
  return cases.map((item) => {
    const found = item.calls.map(({ key, gave }) => ({ gave, cached: isCached(key) }))
    const { document } = item
    const cachedOf = (gave: CacheableCall['gave'], before: boolean): boolean => {
      const calls = found.filter((call) => call.gave === gave)
      return calls.length === 0 ? before : calls.every(({ cached }) => cached)
    }
    const asserts = document.asserts.map((result, index) => withCached(result, cachedOf(index, result.cached)))
    const isChanged = asserts.some((result, index) => result !== document.asserts[index])
    const judged = isChanged ? { ...document, asserts } : document
    return { ...item, document: withCached(judged, cachedOf('answer', document.cached)) }
  })
}

/** The same object where nothing changes: a run may have many cases. */
const withCached = <T extends { readonly cached: boolean }>(item: T, cached: boolean): T =>
  item.cached === cached ? item : { ...item, cached }
