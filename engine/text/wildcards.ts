/** One character of a text, or any run of them. */
export type Wildcard = typeof RUN | ((character: string) => boolean)
export const RUN = '*'
export const ANY: Wildcard = () => true

/** Returns the part that fits one character only. */
export const exactly =
  (wanted: string): Wildcard =>
  (character) =>
    character === wanted

/**
 * Whether a whole text fits the parts, code point by code point. It takes at most the product of both lengths, because
 * after a run only the last one is tried again.
 */
export const fits = (parts: readonly Wildcard[], text: string): boolean => {
  const given = [...text]
  let at = 0
  let seen = 0
  let run = -1
  let retryFrom = 0
  while (seen < given.length) {
    const part = parts[at]
    if (part === RUN) {
      run = at++
      retryFrom = seen
    } else if (part?.(given[seen]!) === true) {
      at++
      seen++
    } else if (run >= 0) {
      at = run + 1
      seen = ++retryFrom
    } else return false
  }
  return parts.slice(at).every((part) => part === RUN)
}
