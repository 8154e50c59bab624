/**
 * The pages in the navigation. `under` is the first part of all addresses that belong to a page. A page `forAdmins` is shown
 * only to users from whom nothing is hidden, and the one `forReviewers` to accounts that see no other.
 */
export const NAV: ReadonlyArray<{
  readonly name: string
  readonly label: string
  /** Null for the page at `/`. */
  readonly under: string | null
  /** Another such part. */
  readonly alsoUnder?: string
  readonly forAdmins?: true
  readonly forReviewers?: true
}> = [
  { name: 'overview', label: 'Overview', under: null },
  { name: 'runs', label: 'Runs', under: '/runs', alsoUnder: '/compare' },
  { name: 'projects', label: 'Suites', under: '/projects' },
  { name: 'reviews', label: 'Reviews', under: '/reviews' },
  { name: 'cache', label: 'Cache', under: '/cache' },
  { name: 'admin', label: 'Admin', under: '/admin', forAdmins: true },
  { name: 'review', label: 'To label', under: '/review', forReviewers: true },
]

/** The pages in the navigation of an account. */
export const navOf = (seesAll: boolean, isReviewer: boolean) =>
  NAV.filter(({ forAdmins, forReviewers = false }) => forReviewers === isReviewer && (!forAdmins || seesAll))
