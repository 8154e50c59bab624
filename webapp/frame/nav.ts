/** The pages of the navigation: each by the name of its route, and the start of every address that belongs to it. */
export const NAV = [{ name: 'runs', label: 'Runs', under: '/runs' }] as const
