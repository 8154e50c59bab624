/**
 * Whether a browser drops a name from an address: `.` and `..` are steps there, however they are escaped. No run can
 * get such a name; earlier versions took them.
 */
export const isDotName = (name: unknown): boolean => name === '.' || name === '..'

/** What is told of something that has no address. */
export const NO_ADDRESS = 'no browser can ask for a name of dots alone'
