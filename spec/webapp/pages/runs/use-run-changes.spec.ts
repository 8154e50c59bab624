import { beforeEach, describe, expect, it, vi } from 'vitest'
import { effectScope, ref, shallowRef } from 'vue'
import type { RunListItem } from '../../../../queries/runs/run-list.ts'
import { useRunChanges } from '../../../../webapp/pages/runs/use-run-changes.ts'

const listed = (...ids: readonly string[]): readonly RunListItem[] =>
  ids.map((id) => ({ id, suite: 's' }) as RunListItem)
const answer = (...ids: readonly string[]): Response =>
  Response.json({ runs: ids.map((run_id) => ({ run_id, previous: null })) })
const busy = (status = 503): Response => Response.json({ error: 'busy' }, { status })

/** The changes of a list on a server that answers with `respond`, and the runs of each request so far. */
const use = (ids: readonly string[], respond: (ids: readonly string[]) => Response) => {
  const requests: string[] = []
  vi.stubGlobal('fetch', async (path: string) => {
    const runs = new URL(path, 'http://server').searchParams.get('runs') ?? ''
    requests.push(runs)
    return respond(runs.split(','))
  })
  const rows = shallowRef(listed(...ids))
  const isShown = ref(true)
  const scope = effectScope()
  const changes = scope.run(() => useRunChanges(rows, () => isShown.value))
  return { requests, rows, isShown, leave: () => scope.stop(), known: () => [...(changes?.value.keys() ?? [])] }
}
const MINUTE = 60_000

describe('what changed in the runs of a list', () => {
  beforeEach(() => void vi.useFakeTimers())

  it('is requested next for runs that an answer leaves out, and not again for unknown ones', async () => {
    const { requests, known } = use(['a', 'b', 'unknown', 'c', 'gone'], ([first = '', ...rest]) =>
      first === 'unknown'
        ? answer('c')
        : first === 'gone'
          ? answer()
          : answer(first, ...(rest[0] === 'b' ? ['b'] : [])),
    )
    await vi.advanceTimersByTimeAsync(60 * MINUTE)
    expect(requests).toEqual(['a,b,unknown,c,gone', 'unknown,c,gone', 'gone'])
    expect(known()).toEqual(['a', 'b', 'c'])
  })

  it('is requested again in halves after the server had time, and is then shown', async () => {
    let isBusy = true
    const { requests, known } = use(['a', 'b', 'c'], (ids) => (isBusy ? busy() : answer(...ids)))
    await vi.advanceTimersByTimeAsync(4_000)
    expect(requests).toEqual(['a,b,c'])
    await vi.advanceTimersByTimeAsync(2_000)
    expect(requests).toEqual(['a,b,c', 'a,b', 'c'])
    isBusy = false
    await vi.advanceTimersByTimeAsync(MINUTE)
    expect(known()).toEqual(['a', 'b', 'c'])
  })

  it.each([0, 429, 503])('shows the others if one run is never answered, and gives up (%i)', async (status) => {
    const { requests, known, rows } = use(['a', 'b', 'slow', 'c'], (ids) => {
      if (!ids.includes('slow')) return answer(...ids)
      if (status === 0) throw new TypeError('network')
      return busy(status)
    })
    await vi.advanceTimersByTimeAsync(60 * MINUTE)
    expect(known().toSorted()).toEqual(['a', 'b', 'c'])
    expect(requests).toEqual(['a,b,slow,c', 'a,b', 'slow,c', 'slow', 'c', 'slow'])
    rows.value = [...rows.value, ...listed('d')]
    await vi.advanceTimersByTimeAsync(1_000)
    expect(requests.at(-1)).toBe('slow,d')
  })

  it('is not requested again after a fault that stays, without the column, without the run, or on another page', async () => {
    const fault = use(['a'], () => busy(500))
    await vi.advanceTimersByTimeAsync(60 * MINUTE)
    expect(fault.requests).toEqual(['a'])
    const unseen = use(['a'], () => busy())
    await vi.advanceTimersByTimeAsync(1_000)
    unseen.isShown.value = false
    await vi.advanceTimersByTimeAsync(60 * MINUTE)
    expect(unseen.requests).toEqual(['a'])
    unseen.isShown.value = true
    await vi.advanceTimersByTimeAsync(1_000)
    expect(unseen.requests).toEqual(['a', 'a'])
    unseen.rows.value = []
    await vi.advanceTimersByTimeAsync(60 * MINUTE)
    expect(unseen.requests).toEqual(['a', 'a'])
    const left = use(['a'], () => busy())
    await vi.advanceTimersByTimeAsync(1_000)
    left.leave()
    await vi.advanceTimersByTimeAsync(60 * MINUTE)
    expect(left.requests).toEqual(['a'])
  })
})
