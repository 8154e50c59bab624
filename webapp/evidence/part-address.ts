/** Where the browser finds a part, by its path below the API. A page that is one file has the bytes, for which it needs their type. */
export const partAddress = (path: string, _type?: string): string => `/api/v1${path}`
