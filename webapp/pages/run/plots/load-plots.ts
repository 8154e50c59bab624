/** The charts of a run, in a script of their own. One function, so that a later visit shows them at once. */
export const loadPlots = () => import('./RunPlots.vue')
