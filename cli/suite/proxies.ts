import { UsageError } from '../../engine/json.ts'
import type { Ports } from '../../engine/ports.ts'

/** The proxies of requests, as the agents of Node take them. */
export type Proxies = {
  readonly http_proxy: string | undefined
  readonly https_proxy: string | undefined
  readonly no_proxy: string | undefined
}

/**
 * The proxies that the environment names; a variable in lower case wins, and an empty one is unset. Throws `UsageError`
 * for an address that Node would ignore: requests would go past the proxy. The error does not quote it, because it may
 * hold a password.
 */
export const proxiesOf = (env: Ports['env']): Proxies => ({
  http_proxy: addressIn(env, 'http_proxy', 'HTTP_PROXY'),
  https_proxy: addressIn(env, 'https_proxy', 'HTTPS_PROXY'),
  no_proxy: env['no_proxy'] || env['NO_PROXY'],
})

const addressIn = (env: Ports['env'], ...names: readonly string[]): string | undefined => {
  const name = names.find((each) => env[each]?.trim())
  if (name === undefined) return undefined
  const text = env[name] ?? ''
  const url = URL.canParse(text) ? new URL(text) : null
  if (url === null || !['http:', 'https:'].includes(url.protocol) || !isDecodable(url))
    throw new UsageError(
      `${name} must be an http or https URL, such as http://proxy.example:3128; special characters in its password are percent-encoded`,
    )
  return url.href
}

const isDecodable = ({ username, password }: URL): boolean => {
  try {
    decodeURIComponent(username + password)
    return true
  } catch (error) {
    if (error instanceof URIError) return false
    throw error
  }
}
