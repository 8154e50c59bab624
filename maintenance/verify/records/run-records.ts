/** Runs per page: 512 KiB. */
const PAGE = 65_536

/** How many pages the numbers of runs may be ahead of the number of uploads. Forged numbers are further ahead. */
const AHEAD = 16

/** How many pages without runs are kept: a page may lose its last run and get another one at once. */
const MAX_EMPTY = 8

type Page = { readonly records: Float64Array; count: number }

/** The number of the record that has the document of a run, by the number of the run. */
export type RunRecords = {
  readonly set: (run_no: number, seq: number) => void
  readonly delete: (run_no: number) => void
  readonly has: (run_no: number) => boolean
  readonly size: () => number
  /** Numbers of runs and of records, by the number of the run. */
  readonly entries: () => Generator<readonly [run_no: number, seq: number]>
}

/**
 * An empty set of runs. Runs are numbered in the order of their uploads, so they are in pages of 8 bytes a run. Pages whose
 * runs were all deleted are freed after some more pages. A `Map` would take 85 bytes a run, and end at 16.7 million; only
 * forged numbers are in one.
 */
export const runRecords = (): RunRecords => {
  const pages = new Map<number, Page>()
  const others = new Map<number, number>()
  let uploads = 0
  let size = 0

  const pageOf = (run_no: number): Page | undefined =>
    Number.isSafeInteger(run_no) && run_no >= 0 ? pages.get(Math.floor(run_no / PAGE)) : undefined

  const newPage = (run_no: number): Page | undefined => {
    const n = Math.floor(run_no / PAGE)
    if (!Number.isSafeInteger(run_no) || run_no < 0 || n > uploads / PAGE + AHEAD) return undefined
    const empty = [...pages].filter(([, { count }]) => count === 0)
    if (empty.length > MAX_EMPTY) for (const [number] of empty) pages.delete(number)
    const page: Page = { records: new Float64Array(PAGE), count: 0 }
    pages.set(n, page)
    return page
  }

  const has = (run_no: number): boolean => others.has(run_no) || (pageOf(run_no)?.records[run_no % PAGE] ?? 0) !== 0

  return {
    set: (run_no, seq) => {
      uploads++
      const isNew = !has(run_no)
      if (isNew) size++
      const page = others.has(run_no) ? undefined : (pageOf(run_no) ?? newPage(run_no))
      if (!page) {
        others.set(run_no, seq)
        return
      }
      if (isNew) page.count++
      page.records[run_no % PAGE] = seq
    },
    delete: (run_no) => {
      if (!has(run_no)) return
      size--
      if (others.delete(run_no)) return
      const page = pageOf(run_no)
      if (!page) return
      page.records[run_no % PAGE] = 0
      page.count--
    },
    has,
    size: () => size,
    *entries() {
      const numbered = [...pages].toSorted(([a], [b]) => a - b)
      for (const [n, { records }] of numbered)
        for (let at = 0; at < PAGE; at++) {
          const seq = records[at] ?? 0
          if (seq !== 0) yield [n * PAGE + at, seq]
        }
      yield* others
    },
  }
}
