/**
 * Whether a browser drops a name from an address: `.` and `..` are path steps, even when escaped. New runs cannot have
 * such a name; earlier versions accepted them.
 */
export const isDotName = (name: unknown): boolean => name === '.' || name === '..'

/** The message for a name that has no address. */
export const NO_ADDRESS = 'browsers cannot open a name that consists of dots only'
