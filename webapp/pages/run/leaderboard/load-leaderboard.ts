/** The leaderboard of a run, in a script of its own. One function, so that a later visit shows it at once. */
export const loadLeaderboard = () => import('./RunLeaderboard.vue')
