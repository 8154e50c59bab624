/**
 * The pages in the navigation. `under` is the prefix of all addresses that belong to a page. A page `forAdmins` is shown
 * only to users from whom nothing is hidden.
 */
export const NAV: ReadonlyArray<{
  readonly name: string
  readonly label: string
  /** Null for the page at `/`. */
  readonly under: string | null
  /** Another such prefix. */
  readonly alsoUnder?: string
  readonly forAdmins?: true
}> = [
  { name: 'overview', label: 'Overview', under: null },
  { name: 'runs', label: 'Runs', under: '/runs', alsoUnder: '/compare' },
  { name: 'projects', label: 'Suites', under: '/projects' },
  { name: 'cache', label: 'Cache', under: '/cache' },
  { name: 'admin', label: 'Admin', under: '/admin', forAdmins: true },
]
