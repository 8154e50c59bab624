/** Characters that mean the same with and without an escape (RFC 3986, 2.3). */
const UNRESERVED = /^[\w.~-]$/

/** The path of a target as the client wrote it, for the log. */
export const requestPath = ({ url }: { readonly url: string }): string => url.split(/[?#]/, 1)[0] ?? ''

/**
 * The path of a target as the router reads it: `/%61pi/` is `/api/`. Escapes of reserved characters stay, so that `%2F`
 * does not end a part. Unlike decoding, it never fails.
 */
export const routedPathOf = (request: { readonly url: string }): string =>
  requestPath(request).replace(/%([2-7][\da-f])/gi, (escape, code: string) => {
    const sign = String.fromCharCode(parseInt(code, 16))
    return UNRESERVED.test(sign) ? sign : escape
  })

/** Whether a path belongs to the API, even if the client escaped parts of it. */
export const isOfApi = (request: { readonly url: string }): boolean => routedPathOf(request).startsWith('/api/')
