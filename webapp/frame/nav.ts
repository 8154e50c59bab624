/** The pages in the navigation. `under` is the prefix of all addresses that belong to a page. */
export const NAV = [{ name: 'runs', label: 'Runs', under: '/runs' }] as const
