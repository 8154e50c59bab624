import type { CaseDocument } from '../run-document.ts'

/** A call of a case that the cache may have answered, and what of the case came of it. */
export type KeyedCall = {
  readonly key: string
  /** The index of an assertion; null: nothing, because the chain passed the provider over. */
  readonly gave: 'answer' | number | null
}

/** A case and its calls, in the order in which they were made. */
type CalledCase = { readonly document: CaseDocument; readonly calls: readonly KeyedCall[] }

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
    const cachedOf = (gave: KeyedCall['gave'], before: boolean): boolean => {
      const calls = found.filter((call) => call.gave === gave)
      return calls.length === 0 ? before : calls.every(({ cached }) => cached)
    }
    const { document } = item
    const asserts = document.asserts.map((result, index) => ({ ...result, cached: cachedOf(index, result.cached) }))
    return { ...item, document: { ...document, asserts, cached: cachedOf('answer', document.cached) } }
  })
}
