/** A URL without the user and the password that may be in it. */
export const withoutUser = (url: string): string => url.replace(/^(https?:\/\/)[^/?#@]*@/i, '$1')

/** The address of an endpoint as cache entries record it: without user, password and query. */
export const plainAddress = (url: string): string => withoutUser(url).split(/[?#]/, 1)[0] ?? ''
