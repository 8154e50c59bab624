/** What few visits need, each in a script of its own. One function each, so that a later visit shows it at once. */
export const loadColumnPanel = () => import('./ColumnPanel.vue')
export const loadGroups = () => import('./CaseGroups.vue')
export const loadTests = () => import('./TestRows.vue')
