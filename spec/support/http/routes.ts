import type { FastifyInstance } from 'fastify'

export type Route = { readonly method: string; readonly url: string }

/** Returns every route of an app, read from its router, so that none is missed. */
export const routesOf = (app: FastifyInstance): Route[] => {
  const routes: Route[] = []
  const parents: string[] = []
  for (const line of app.printRoutes({ commonPrefix: true }).split('\n')) {
    const [, indent = '', part = '', methods] = /^((?:[│ ] {3})*)[├└]── (.*?)(?: \(([A-Z, ]+)\))?$/.exec(line) ?? []
    if (part === '') continue
    const depth = indent.length / 4
    const parent = depth === 0 ? '' : (parents[depth - 1] ?? '')
    // The router prints a wildcard without the slash before it.
    parents[depth] = part === '*' && !parent.endsWith('/') ? `${parent}/*` : parent + part
    for (const method of methods?.split(', ') ?? []) routes.push({ method, url: parents[depth] })
  }
  return routes
}

/**
 * Whether a route is a step of a sign-in through an identity provider. It responds with a redirect, and where a provider
 * sends the browser back to, it accepts the parameters of the provider. Without a configured provider it is 404.
 */
export const isSignInStep = (url: string): boolean => /\/auth\/(?:oidc|saml)\/[^/]+\/(?:start|callback|acs)$/.test(url)

/** Returns the route's path with its parameters filled in. `rest` is what follows a prefix; it may have slashes. */
export const fillPath = (url: string, names: Readonly<Record<string, string>>): string =>
  url
    .replace(/\/(?:\*|\{rest\})$/, () => `/${names['rest'] ?? '*'}`)
    .replace(/[:{](\w+)\}?/g, (_, name: string) => encodeURIComponent(names[name] ?? 'none'))
