import type { LocationQuery, RouteLocationRaw } from 'vue-router'

/** The number of runs that can be compared with each other. */
export const [MIN_COMPARED, MAX_COMPARED] = [2, 8]

/** Ids as one value of an address: separated by commas, with commas in an id escaped. */
export const runsText = (ids: readonly string[]): string => ids.map(encodeURIComponent).join(',')

/** The ids in a value of an address; null if there is none that can be read. */
export const idsIn = (value: LocationQuery[string] | undefined): string[] | null => {
  if (typeof value !== 'string') return null
  try {
    return value.split(',').map(decodeURIComponent)
  } catch (error) {
    if (error instanceof URIError) return null
    throw error
  }
}

/** The ids in an address; null if they are not 2 to 8 different ones. */
export const runsIn = (value: LocationQuery[string] | undefined): string[] | null => {
  const ids = idsIn(value)
  if (!ids || ids.length < MIN_COMPARED || ids.length > MAX_COMPARED || ids.includes('')) return null
  return new Set(ids).size === ids.length ? ids : null
}

/** The page that compares these runs; the first is the base. */
export const comparePage = (ids: readonly string[]): RouteLocationRaw => {
  const [base = '', head = ''] = ids
  return ids.length === 2
    ? { name: 'compare', params: { base, head } }
    : { name: 'compare-many', query: { runs: runsText(ids) } }
}

/** The filters of the list of runs that select the suite of a run. */
export const ofSuite = (
  run: { readonly project: string | null; readonly suite: string | null } | undefined,
): { readonly project?: string; readonly suite?: string } => ({
  ...(run?.project === null || run?.project === undefined ? {} : { project: run.project }),
  ...(run?.suite === null || run?.suite === undefined ? {} : { suite: run.suite }),
})
