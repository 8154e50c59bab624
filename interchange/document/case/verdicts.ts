/** A score of exactly 1 or 0 passes or fails from any threshold on; others need one: null. */
export const plainVerdict = (score: number): boolean | null => (score === 1 ? true : score === 0 ? false : null)
