import type { RouteLocationNamedRaw } from 'vue-router'

/** The address of a suite's page. */
export const suiteAddress = ({ project, suite }: { project: string; suite: string }): RouteLocationNamedRaw => ({
  name: 'suite',
  params: { project, suite },
})

/** The address of a plan: the page of its suite, with the plans open. */
export const planAddress = (suite: { project: string; suite: string }, plan: string): RouteLocationNamedRaw => ({
  ...suiteAddress(suite),
  query: { plan },
})

/** The address of the history of a case over the runs of a suite. */
export const historyAddress = (
  { project, suite }: { project: string; suite: string },
  case_key: string,
): RouteLocationNamedRaw => ({ name: 'case-history', params: { project, suite, case_key } })
