import { QueryClient, QueryObserver } from '@tanstack/vue-query'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { refetcher } from '../../../webapp/live/refetch.ts'
import type { LiveEvent } from '../../../webapp/live/live-events.ts'
import { noteWrite } from '../../../webapp/live/own-writes.ts'
import { noteSampleChange } from '../../../webapp/runs/sample-load.ts'
import type { LiveScope } from '../../../webapp/live/live-scope.ts'

const changed = (project: string): LiveEvent => {
  const set = { project, suite: 's' }
  return { kind: 'changed', change: { runs: [{ id: 'r', ...set }], baselines: [], sets: [set] } }
}

/** A shown query, and how often it was requested. */
const show = async (client: QueryClient, name: string, live?: LiveScope & { held?: boolean }) => {
  let requests = 0
  const observer = new QueryObserver(client, {
    queryKey: [name],
    queryFn: () => ++requests,
    staleTime: Infinity,
    ...(live ? { meta: { live } } : {}),
  })
  observer.subscribe(() => {})
  await vi.advanceTimersByTimeAsync(1)
  return { requests: () => requests, isStale: () => observer.getCurrentResult().isStale }
}

describe('requests after a change', () => {
  let client: QueryClient
  beforeEach(() => {
    vi.useFakeTimers()
    client = new QueryClient()
  })

  it('are only those of shown queries that the change concerns', async () => {
    const [ours, other, without] = [
      await show(client, 'ours', { project: 'p' }),
      await show(client, 'other', { project: 'q' }),
      await show(client, 'without'),
    ]
    refetcher(client).apply(changed('p'))
    await vi.advanceTimersByTimeAsync(5_000)
    expect([ours.requests(), other.requests(), without.requests()]).toEqual([2, 1, 1])
  })

  it('are one in two seconds, however many changes arrive, and one after the last', async () => {
    const query = await show(client, 'runs', {})
    const { apply } = refetcher(client)
    for (let n = 0; n < 40; n++) {
      apply(changed('p'))
      await vi.advanceTimersByTimeAsync(250)
    }
    expect(query.requests()).toBeLessThanOrEqual(7)
    const before = query.requests()
    apply(changed('p'))
    await vi.advanceTimersByTimeAsync(2_000)
    expect(query.requests()).toBe(before + 1)
  })

  it('do not happen for a query that would move what is shown, which becomes stale', async () => {
    const query = await show(client, 'list', { held: true })
    refetcher(client).apply(changed('p'))
    await vi.advanceTimersByTimeAsync(5_000)
    expect([query.requests(), query.isStale()]).toEqual([1, true])
  })

  it('are made at once for a list after a write of this page, which has no notice of its own news', async () => {
    const list = await show(client, 'list', { held: true })
    const { apply } = refetcher(client)
    let answer = (): void => {}
    noteWrite(new Promise<void>((done) => (answer = done)))
    apply(changed('p'))
    expect(list.isStale()).toBe(false)
    answer()
    await vi.advanceTimersByTimeAsync(2_500)
    expect([list.requests(), list.isStale()]).toEqual([2, false])
    apply(changed('p'))
    await vi.advanceTimersByTimeAsync(1_000)
    expect([list.requests(), list.isStale()]).toEqual([3, false])
    // What arrives later is of another user.
    apply(changed('p'))
    expect(list.isStale()).toBe(true)
  })

  it('do not make a list stale for samples that this page loaded, which it shows', async () => {
    const [list, count] = [await show(client, 'list', { held: true }), await show(client, 'count', {})]
    const { apply } = refetcher(client)
    const set = { project: 'samples', suite: 's' }
    const samples: LiveEvent = {
      kind: 'changed',
      change: { runs: [{ id: 'sample-1', ...set }], baselines: [], sets: [set] },
    }
    noteSampleChange()
    apply(samples)
    await vi.advanceTimersByTimeAsync(5_000)
    expect([list.isStale(), count.requests()]).toEqual([false, 2])
    apply(changed('p'))
    expect(list.isStale()).toBe(true)
  })

  it('make a list stale for samples that another page loaded', async () => {
    vi.resetModules()
    const { refetcher: another } = await import('../../../webapp/live/refetch.ts')
    const list = await show(client, 'list', { held: true })
    const set = { project: 'samples', suite: 's' }
    another(client).apply({
      kind: 'changed',
      change: { runs: [{ id: 'sample-1', ...set }], baselines: [], sets: [set] },
    })
    expect(list.isStale()).toBe(true)
  })

  it.each(['access', 'reset'] as const)('are spread over clients after the event %s', async (kind) => {
    const query = await show(client, 'runs', { project: 'p' })
    refetcher(client, () => 0.5).apply({ kind })
    await vi.advanceTimersByTimeAsync(900)
    expect(query.requests()).toBe(1)
    await vi.advanceTimersByTimeAsync(200)
    expect(query.requests()).toBe(2)
  })
})
