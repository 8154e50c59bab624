import { QueryClient, VueQueryPlugin } from '@tanstack/vue-query'
import { mount } from '@vue/test-utils'
import { describe, expect, it, vi } from 'vitest'
import { ref, watchEffect } from 'vue'
import { useComparedCases } from '../../../webapp/pages/compare/cases/use-compared-cases.ts'
import { useMany } from '../../../webapp/pages/compare/many/use-many.ts'
import { useTimeline } from '../../../webapp/pages/history/use-history.ts'
import { useMatrix } from '../../../webapp/pages/run/matrix/use-matrix.ts'
import { useRuns } from '../../../webapp/pages/runs/use-runs.ts'
import { useGrid } from '../../../webapp/pages/suite/use-suite.ts'
import { useOverview } from '../../../webapp/suites/use-overview.ts'

/** Uses `setup` in a component, with a server that answers requests with `answer`. */
const use = <T>(setup: () => T, answer: (url: URL) => Response) => {
  vi.useFakeTimers()
  const requested: string[] = []
  vi.stubGlobal('fetch', async (path: string) => {
    requested.push(path)
    return answer(new URL(path, 'http://server'))
  })
  let used: T | undefined
  mount(
    {
      setup: () => {
        used = setup()
        return () => null
      },
    },
    {
      global: {
        plugins: [
          [VueQueryPlugin, { queryClient: new QueryClient({ defaultOptions: { queries: { retry: false } } }) }],
        ],
      },
    },
  )
  return { requested, used: used as T }
}
const failure = (): Response => Response.json({ error: 'broken' }, { status: 500 })
const MINUTE = 60_000

describe('a list whose next page fails', () => {
  const counts = { suites: 3 }
  const pageOf = (suite: string, next_cursor: string | null): Response =>
    Response.json({ suites: [{ suite }], counts, latest_runs: [], next_cursor })

  it('is requested once, shows the error, and is requested again when the user asks', async () => {
    let works = false
    const { requested, used } = use(
      () => useOverview([], 500, { all: true }),
      (url) => {
        const cursor = url.searchParams.get('cursor')
        if (cursor === null) return pageOf('a', 'b')
        if (!works) return failure()
        return cursor === 'b' ? pageOf('b', 'c') : pageOf('c', null)
      },
    )
    await vi.advanceTimersByTimeAsync(MINUTE)
    expect(requested).toEqual(['/api/v1/overview?limit=500', '/api/v1/overview?limit=500&cursor=b'])
    expect(used.moreError.value?.message).toBe('broken')
    expect(used.error.value).toBeNull()
    expect(used.suites.value).toHaveLength(1)
    works = true
    await used.loadMore()
    await vi.advanceTimersByTimeAsync(MINUTE)
    expect(requested).toHaveLength(4)
    expect(used.moreError.value).toBeNull()
    expect(used.suites.value.map(({ suite }) => suite)).toEqual(['a', 'b', 'c'])
  })

  it.each([
    [
      'cases of two runs',
      () =>
        useComparedCases(() => ({ base: 'a', head: 'b', columns: { base_column: [], head_column: [] } }), 'all', null),
      { cases: [], counts },
    ],
    ['several runs', () => useMany({ runs: ['a', 'b'], base: 'a', filter: 'all' }), { rows: [] }],
    [
      'a grid',
      () => {
        const { reach } = useGrid(
          () => ({ project: 'p', suite: 's' }),
          () => ({ order: 'flaky', q: null, branch: null, fold: null, measure: 'rate' }),
        )
        return { reach: (row: number) => reach(row, 20) }
      },
      { rows: [], runs: [], fold: 'cases' },
    ],
    [
      'the history of a case that needs more runs',
      () => {
        useTimeline(
          () => ({ project: 'p', suite: 's', case_key: 'k' }),
          () => ({ shown: 100, wanted: null }),
        )
        return { reach: () => undefined }
      },
      { runs: [] },
    ],
    ['a matrix', () => useMatrix('a', { value: 'score', sort: 'document', only: null }), { rows: [] }],
  ] as const)('is requested once for %s, while its rows are in view', async (_, list, page) => {
    const { requested } = use(
      () => {
        const { reach } = list()
        watchEffect(() => reach(0))
      },
      (url) => (url.searchParams.has('cursor') ? failure() : Response.json({ ...page, next_cursor: 'b' })),
    )
    await vi.advanceTimersByTimeAsync(MINUTE)
    expect(requested).toHaveLength(2)
  })
})

describe('an empty list', () => {
  const runs = (cached_hidden: number) => Response.json({ runs: [], next_cursor: null, cached_hidden })

  it.each([
    ['of a server without runs is requested every 1.5 s', {}, 0, 40],
    ['that no run matches is requested every 30 s', { project: 'none' }, 0, 2],
    ['whose runs are hidden is requested every 30 s', {}, 1, 2],
  ] as const)('%s', async (_, filters, hidden, most) => {
    const { requested } = use(
      () => useRuns(ref(filters)),
      () => runs(hidden),
    )
    await vi.advanceTimersByTimeAsync(MINUTE + 100)
    // The list itself, and the checks for new runs.
    expect(requested.length - 1).toBe(most)
  })

  it('of suites of a project is not requested again and again', async () => {
    const { requested } = use(
      () => useOverview(['none'], 500),
      () => Response.json({ suites: [], counts: { suites: 0 }, latest_runs: [], next_cursor: null }),
    )
    await vi.advanceTimersByTimeAsync(MINUTE)
    expect(requested).toHaveLength(1)
  })
})
