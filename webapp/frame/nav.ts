/** The pages in the navigation. `under` is the prefix of all addresses that belong to a page. */
export const NAV = [
  { name: 'overview', label: 'Overview', under: null },
  { name: 'runs', label: 'Runs', under: '/runs' },
  { name: 'projects', label: 'Suites', under: '/projects' },
] as const
