import { expect } from 'vitest'
import type { CacheEviction } from '../../../queries/cache/eviction.ts'
import type { CacheStats } from '../../../queries/cache/facets.ts'
import type { CacheEntry, CacheList } from '../../../queries/cache/item.ts'
import { openApp, type Caller, type SpecApp } from '../servers/app.ts'

/** Opens an app whose shared cache has low limits. */
export const openCacheApp = (now: () => number): Promise<SpecApp> =>
  openApp({ now, limits: { max_entry_bytes: 10_000, max_age_days: 30, max_bytes: 3000 } })

/** Requests to the shared cache of the app that is open when they are sent. */
export const cacheRequests = (opened: () => SpecApp) => {
  const put = (
    key: string,
    body: Buffer | string,
    headers: Readonly<Record<string, string>> = {},
    caller: Caller = 'write',
  ) => opened().sendAs(caller)('PUT', `/cache/${key}`, { body, headers })
  const get = (key: string) => opened().sendAs('read')('GET', `/cache/${key}`)
  const stats = async (): Promise<CacheStats> =>
    (await opened().sendAs('read')('GET', '/cache/stats')).json<CacheStats>()
  const list = async (query = ''): Promise<CacheList> => {
    const answer = await opened().sendAs('admin')('GET', `/cache/entries${query}`)
    expect(answer.statusCode, answer.body).toBe(200)
    return answer.json<CacheList>()
  }
  const detail = async (key: string, query = ''): Promise<CacheEntry> =>
    (await opened().sendAs('read')('GET', `/cache/entries/${key}${query}`)).json<CacheEntry>()
  const preview = async (query = ''): Promise<CacheEviction> => {
    const answer = await opened().sendAs('admin')('GET', `/cache/prune${query}`)
    expect(answer.statusCode, answer.body).toBe(200)
    return answer.json<CacheEviction>()
  }
  /** Prunes, and expects that the preview said exactly what was removed. */
  const prune = async (query = ''): Promise<number> => {
    const { entries, bytes, groups, other, total } = await preview(query)
    const before = await stats()
    expect(total).toEqual({ entries: before.entries, bytes: before.total_bytes })
    expect(groups.reduce((sum, group) => sum + group.entries, other.entries)).toBe(entries)
    const answer = await opened().sendAs('admin')('POST', `/cache/prune${query}`)
    expect(answer.statusCode, answer.body).toBe(200)
    const { pruned } = answer.json<{ pruned: number }>()
    const after = await stats()
    expect({ entries, bytes }).toEqual({ entries: pruned, bytes: before.total_bytes - after.total_bytes })
    return pruned
  }

  return { put, get, stats, list, detail, preview, prune }
}

/** Returns the status and the message of an error. */
export const errorOf = async (
  answer: Promise<{ statusCode: number; json: () => unknown }>,
): Promise<readonly [number, string]> => {
  const { statusCode, json } = await answer
  return [statusCode, (json() as { error: string }).error]
}
