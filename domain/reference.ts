/** The text of a reference to a case that is described elsewhere. It is stored in the log, so it is never prose. */
export const REFERENCE = { pattern: '^[A-Za-z0-9._:/-]{1,64}$', characters: 'A-Z a-z 0-9 . _ : / -' } as const

const PATTERN = new RegExp(REFERENCE.pattern)

export const isReference = (text: string): boolean => PATTERN.test(text)
