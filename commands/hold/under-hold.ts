import { Refused } from '../refused.ts'

/** The refusal of what a legal hold forbids. */
export const underHold = (hold_id: string): Refused => new Refused('conflict', `run is under legal hold ${hold_id}`)
