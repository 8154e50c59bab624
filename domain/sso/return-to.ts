/** Where a sign-in ends without a requested path. */
const HOME = '/'
/** Maximum length of a requested path. Servers and proxies on the way accept headers of this length. */
const MAX_LENGTH = 2_000
/** Stands for the address of the service, to resolve a path against. */
const BASE = 'http://service.invalid'

/**
 * Returns the path to return to after a sign-in, in ASCII, or `/` if the requested path could lead to another site. It
 * must start with one `/`, which no `/` or `\` follows, and contain no `\` and no control character: browsers read `\`
 * as `/` and drop tabs and line breaks (URL Standard, 4.4).
 */
export const returnTo = (requestedPath: string | null): string => {
  if (
    requestedPath === null ||
    requestedPath.length > MAX_LENGTH ||
    !/^\/(?![/\\])[^\\\p{Cc}]*$/u.test(requestedPath) ||
    !URL.canParse(requestedPath, BASE)
  )
    return HOME
  const { origin, pathname, search, hash } = new URL(requestedPath, BASE)
  // `/..//host` resolves to the path `//host`, which is another site if it is resolved again.
  const path = `${pathname}${search}${hash}`
  // Other characters than ASCII take up to nine times their length.
  return origin === BASE && !pathname.startsWith('//') && path.length <= MAX_LENGTH ? path : HOME
}
