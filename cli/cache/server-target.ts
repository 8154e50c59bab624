import { z } from 'zod'
import { CacheUnavailable } from '../../engine/cache/client.ts'
import { httpCacheClient } from '../../engine/cache/http-client.ts'
import { TransientError } from '../client/backoff.ts'
import type { Patience } from '../client/backoff.ts'
import { CacheTotals, ListedItem } from './target.ts'
import type { CacheTarget, Pruning } from './target.ts'
import { bodyText, errorText, serviceClient, unauthorized } from '../client/service-client.ts'
import { UserError } from '../../maintenance/user-error.ts'

/** Entries that one answer lists. */
const A_PAGE = 200

const Page = z.object({ entries: z.array(ListedItem), next_cursor: z.string().nullable(), truncated: z.boolean() })
const Pruned = z.object({ pruned: z.number() })
const Entry = z.record(z.string(), z.unknown())

/** The cache of a service. */
export const cacheServerTarget = (server: string, token: string | undefined, patience: Patience): CacheTarget => {
  const client = serviceClient(server, token, patience)
  const api = `${client.url}/api/v1`
  // Asked as patiently as for everything else.
  const bodies = httpCacheClient({
    url: client.url,
    token,
    fetch: (url, init) => client.request(url.slice(api.length), init, async (response) => response),
  })

  /** One answer, read by its schema; null for a 404. */
  const ask = <T>(path: string, schema: z.ZodType<T>, init: RequestInit = {}): Promise<T | null> =>
    usable(
      client.request(path, { ...init, signal: patience.signal }, async (response) => {
        if (response.status === 404) {
          await response.body?.cancel()
          return null
        }
        if (response.status !== 200) throw await refusal(client.url, response, token)
        return parsed(client.url, schema, await bodyText(response))
      }),
    )
  const must = async <T>(answer: Promise<T | null>): Promise<T> => {
    const found = await answer
    if (found === null)
      throw new UserError(`${client.url} has no such route: it is no evaluation results service, or an older one`)
    return found
  }

  return {
    stats: () => must(ask('/cache/stats', CacheTotals)),
    list: async (listing, limit) => {
      const entries: ListedItem[] = []
      let cursor: string | null = null
      do {
        const query = queryOf({
          ...listing,
          limit: Math.min(limit - entries.length, A_PAGE),
          ...(cursor === null ? {} : { cursor }),
        })
        const page: z.infer<typeof Page> = await must(ask(`/cache/entries?${query}`, Page))
        entries.push(...page.entries)
        cursor = page.next_cursor
      } while (cursor !== null && entries.length < limit)
      return { entries, truncated: false }
    },
    show: (key, raw) => ask(`/cache/entries/${key}${raw ? '?raw=true' : ''}`, Entry),
    get: (key) => usable(bodies.get(key, patience.signal)),
    put: (key, bytes) => usable(bodies.put(key, bytes, patience.signal)),
    prune: async (pruning) => {
      const query = pruning === null ? '' : `?${pruneQuery(pruning)}`
      return (await must(ask(`/cache/prune${query}`, Pruned, { method: 'POST' }))).pruned
    },
  }
}

const queryOf = (parameters: Readonly<Record<string, string | number>>): string =>
  new URLSearchParams(
    Object.entries(parameters).map(([name, value]): [string, string] => [name, String(value)]),
  ).toString()

const pruneQuery = ({ empty_reasons, ...rules }: Pruning): string =>
  queryOf({ ...rules, ...(empty_reasons === undefined ? {} : { empty_reason: empty_reasons.join(',') }) })

const parsed = <T>(url: string, schema: z.ZodType<T>, text: string): T => {
  try {
    return schema.parse(JSON.parse(text))
  } catch (cause) {
    throw new UserError(`${url} does not answer like an evaluation results service; check the address`, { cause })
  }
}

/** What an attempt after the last one comes to, in words for the user. */
const usable = async <T>(answer: Promise<T>): Promise<T> => {
  try {
    return await answer
  } catch (error) {
    if (error instanceof TransientError || error instanceof CacheUnavailable)
      throw new UserError(error.message, { cause: error })
    throw error
  }
}

const refusal = async (url: string, response: Response, token: string | undefined): Promise<Error> => {
  const reason = await errorText(response)
  const { status } = response
  return status === 401 || status === 403
    ? unauthorized(url, status, reason, token)
    : new UserError(`${url} answers ${status}: ${reason}`)
}
