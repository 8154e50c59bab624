import { z } from 'zod'
import { CacheUnavailable } from '../../engine/cache/client.ts'
import { httpCacheClient } from '../../engine/cache/http-client.ts'
import type { RetryOptions } from '../client/backoff.ts'
import { CacheTotals, ListedItem, type CacheTarget, type Pruning } from './target.ts'
import { isAbsent, readAnswer } from '../client/answer.ts'
import { asFinal, readRefusal, serviceClient } from '../client/service-client.ts'
import { UserError } from '../../maintenance/user-error.ts'
import { listPages, queryText } from '../client/pages.ts'

const PAGE_SIZE = 200

const Page = z.object({ entries: z.array(ListedItem), next_cursor: z.string().nullable() })
const Pruned = z.object({ pruned: z.number() })
const Entry = z.looseObject({ key: z.string() })

/** Opens the cache of a service. */
export const cacheServerTarget = (server: string, token: string | undefined, retry: RetryOptions): CacheTarget => {
  const client = serviceClient(server, token, retry)
  const api = `${client.url}/api/v1`
  // The client of bodies gets a `fetch` with the same retries as every other request.
  const bodies = httpCacheClient({
    url: client.url,
    token,
    fetch: (url, init) => client.request(url.slice(api.length), init, async (response) => response),
  })

  /** Sends a request and parses the response by its schema. Returns null for a 404. */
  const fetchParsed = <T>(path: string, schema: z.ZodType<T>, init: RequestInit = {}): Promise<T | null> =>
    withUserErrors(
      client.request(path, { ...init, signal: retry.signal }, async (response) => {
        if (await isAbsent(response)) return null
        if (response.status !== 200) throw await readRefusal(client.url, response, token)
        return readAnswer(response, schema)
      }),
    )
  const required = async <T>(response: Promise<T | null>): Promise<T> => {
    const found = await response
    if (found === null)
      throw new UserError(`${client.url} has no such route: not an evaluation results service, or an older version`)
    return found
  }

  return {
    stats: () => required(fetchParsed('/cache/stats', CacheTotals)),
    list: async (listing, limit) => {
      const entries: ListedItem[] = []
      const pages = listPages((cursor) => {
        const query = queryText({ ...listing, limit: Math.min(limit - entries.length, PAGE_SIZE), cursor })
        return required(fetchParsed(`/cache/entries?${query}`, Page))
      })
      for await (const page of pages) {
        entries.push(...page.entries)
        if (entries.length >= limit) break
      }
      return { entries, truncated: false }
    },
    show: (key, raw) => fetchParsed(`/cache/entries/${key}${raw ? '?raw=true' : ''}`, Entry),
    get: (key) => withUserErrors(bodies.get(key, retry.signal)),
    put: (key, bytes) => withUserErrors(bodies.put(key, bytes, retry.signal)),
    prune: async (pruning) => {
      const query = pruning === null ? '' : `?${pruneQuery(pruning)}`
      return (await required(fetchParsed(`/cache/prune${query}`, Pruned, { method: 'POST' }))).pruned
    },
  }
}

const pruneQuery = ({ empty_reasons, ...rules }: Pruning): string =>
  queryText({ ...rules, empty_reason: empty_reasons?.join(',') })

const withUserErrors = async <T>(work: Promise<T>): Promise<T> => {
  try {
    return await work
  } catch (error) {
    throw error instanceof CacheUnavailable ? new UserError(error.message, { cause: error }) : asFinal(error)
  }
}
