/**
 * The pages in the navigation. `under` is the prefix of all addresses that belong to a page. A page `forAdmins` is shown
 * only to users from whom nothing is hidden.
 */
export const NAV: ReadonlyArray<{
  readonly name: string
  readonly label: string
  readonly under: string
  readonly forAdmins?: true
}> = [
  { name: 'runs', label: 'Runs', under: '/runs' },
  { name: 'admin', label: 'Admin', under: '/admin', forAdmins: true },
]
