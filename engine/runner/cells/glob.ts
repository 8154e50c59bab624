/**
 * Returns a test of a whole text: `*` matches any run of characters, `/` included, `?` one code point, everything else
 * itself. It takes at most the product of both lengths, because after a `*` only the last one is tried again.
 */
export const globMatcher = (pattern: string): ((text: string) => boolean) => {
  const wanted = [...pattern]
  return (text) => {
    const given = [...text]
    let at = 0
    let seen = 0
    let star = -1
    let retryFrom = 0
    while (seen < given.length) {
      if (wanted[at] === '*') {
        star = at++
        retryFrom = seen
      } else if (at < wanted.length && (wanted[at] === '?' || wanted[at] === given[seen])) {
        at++
        seen++
      } else if (star >= 0) {
        at = star + 1
        seen = ++retryFrom
      } else return false
    }
    while (wanted[at] === '*') at++
    return at === wanted.length
  }
}
