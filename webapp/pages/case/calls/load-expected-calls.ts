/** Loads the comparison of the expected tool calls with those that were made: a part that few cases have. */
export const loadExpectedCalls = () => import('./ExpectedCalls.vue')
