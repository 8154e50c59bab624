/** See `pages/run/leaderboard/can-choose.ts`. */
export const CAN_CHOOSE: boolean = false
