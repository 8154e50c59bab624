/** The callers: static tokens, accounts by their sessions, a key, or no credential. */
export const CALLERS = ['read', 'write', 'admin', 'ann', 'ben', 'cat', 'root', 'key', null] as const
export type AnyCaller = (typeof CALLERS)[number]

/** A request as data. In path and body, ids that a service generates have names such as `@user1` and `@key1`. */
export type RandomRequest = {
  readonly caller: AnyCaller
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** The route with its parameter names, as in the router, without /api/v1. */
  readonly route: string
  readonly path: string
  readonly body?: string
}

export type RequestParts = Omit<RandomRequest, 'caller'>
export const requestTo = (
  method: RequestParts['method'],
  route: string,
  names: Readonly<Record<string, string>> = {},
  body?: unknown,
): RequestParts => ({
  method,
  route,
  path: route.replaceAll(/:(\w+)/g, (_, name: string) => names[name] ?? 'none'),
  ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
})
export const withQuery = (request: RequestParts, query: Readonly<Record<string, string | undefined>>): RequestParts => {
  const present = Object.entries(query).filter((entry): entry is [string, string] => entry[1] !== undefined)
  return present.length === 0
    ? request
    : { ...request, path: `${request.path}?${new URLSearchParams(present).toString()}` }
}
