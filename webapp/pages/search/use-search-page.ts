import { computed, type ComputedRef } from 'vue'
import { useRoute, useRouter } from 'vue-router'
import type { CaseSearch } from '../../../queries/search/case-search.ts'
import type { CommentSearch } from '../../../queries/search/comment-search.ts'
import type { RunSearch } from '../../../queries/search/run-search.ts'
import { queryOf } from '../../api/api.ts'
import { useList } from '../../api/use-list.ts'
import { STATUSES } from '../../runs/statuses.ts'

export type SearchFilters = { readonly project?: string; readonly suite?: string; readonly status?: string }

const PAGE_TESTS = 20
/** Runs above the tests, and runs that each press of the button adds. */
const FIRST_RUNS = 6
const PAGE_RUNS = 20
const PAGE_COMMENTS = 10

/** The runs that contain the words, in the sets of the filters. */
const useFoundRuns = (q: ComputedRef<string>, filters: ComputedRef<SearchFilters>) => {
  // Runs have no status, so a filter by status hides them.
  const hasRuns = computed(() => q.value !== '' && filters.value.status === undefined)
  const list = useList({
    key: () => ['search', 'runs', q.value, filters.value.project, filters.value.suite],
    path: ([, , words, project, suite], cursor) =>
      `/search/runs${queryOf({ q: words, project, suite, limit: cursor === null ? FIRST_RUNS : PAGE_RUNS, cursor })}`,
    rows: (page: RunSearch) => page.runs,
    enabled: hasRuns,
  })
  return {
    ...list,
    foundRuns: computed(() => (hasRuns.value ? list.rows.value : [])),
    /** Number of runs that match, and whether older ones match too. */
    runCount: computed(() => {
      const { run_count: count = 0, more = false } = (hasRuns.value ? list.first.value : undefined) ?? {}
      return { count, more }
    }),
    hasMoreRuns: computed(() => hasRuns.value && list.hasMore.value),
    /** Whether runs are wanted, but none have arrived. */
    isMissing: computed(() => hasRuns.value && !list.isLoaded.value),
    retry: (): void => void (hasRuns.value && list.reload()),
  }
}

/** The comments that contain the words, on runs in the sets of the filters. */
const useFoundComments = (q: ComputedRef<string>, filters: ComputedRef<SearchFilters>) => {
  // Comments have no status, so a filter by status hides them.
  const hasComments = computed(() => q.value !== '' && filters.value.status === undefined)
  const list = useList({
    key: () => ['search', 'comments', q.value, filters.value.project, filters.value.suite],
    path: ([, , words, project, suite], cursor) =>
      `/search/comments${queryOf({ q: words, project, suite, limit: PAGE_COMMENTS, cursor })}`,
    rows: (page: CommentSearch) => page.comments,
    enabled: hasComments,
  })
  return {
    ...list,
    found: computed(() => (hasComments.value ? list.rows.value : [])),
    hasOlder: computed(() => hasComments.value && list.hasMore.value),
    /** Whether comments are wanted, but none have arrived. */
    isMissing: computed(() => hasComments.value && !list.isLoaded.value),
    retry: (): void => void (hasComments.value && list.reload()),
  }
}

/** The words and filters of the search page, which are stored in the address, and what they find. */
export const useSearchPage = () => {
  const route = useRoute()
  const router = useRouter()
  const text = (name: string): string | undefined => {
    const value = [route.query[name]].flat()[0]
    return value === null || value === '' ? undefined : value
  }
  const q = computed(() => text('q')?.trim() ?? '')
  const filters = computed((): SearchFilters => {
    const [project, suite, status] = [text('project'), text('suite'), text('status')]
    return {
      ...(project === undefined ? {} : { project }),
      ...(suite === undefined ? {} : { suite }),
      ...(status === undefined ? {} : { status }),
    }
  })
  const go = (query: Readonly<Record<string, string | undefined>>): void =>
    void router.push({ query: { q: q.value, ...filters.value, ...query } })

  const isAsked = computed(() => q.value !== '')
  /** A status in the address that does not exist. Nothing is searched for it. */
  const unknownStatus = computed(() => {
    const { status } = filters.value
    return status === undefined || STATUSES.some((known) => known === status) ? null : status
  })
  const cases = useList({
    key: () => ['search', 'cases', q.value, filters.value],
    path: ([, , words, chosen], cursor) =>
      `/search/cases${queryOf({ q: words, ...chosen, limit: PAGE_TESTS, cursor })}`,
    rows: (page: CaseSearch) => page.tests,
    enabled: () => isAsked.value && unknownStatus.value === null,
  })
  const runs = useFoundRuns(q, filters)
  const comments = useFoundComments(q, filters)
  return {
    q,
    filters,
    /** Sets filters; undefined removes one. */
    set: go,
    clear: (): void => void router.push({ query: { q: q.value } }),
    isAsked,
    unknownStatus,
    cases,
    runs,
    comments,
    /** The first page of the tests, once the runs above it are there, and the comments too or not at all. */
    first: computed(() =>
      runs.isMissing.value || (comments.isMissing.value && !comments.error.value) ? null : (cases.first.value ?? null),
    ),
    error: computed(() => cases.error.value ?? runs.error.value),
    retry: (): void => {
      cases.reload()
      runs.retry()
      comments.retry()
    },
  }
}
