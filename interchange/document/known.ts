/** Whether a value of a source is known: neither absent nor null. */
export const isKnown = <T>(value: T | null | undefined): value is T => value !== null && value !== undefined
