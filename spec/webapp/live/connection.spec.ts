import { afterEach, describe, expect, it, vi } from 'vitest'
import { followEvents, readEvents } from '../../../webapp/live/connection.ts'
import type { LiveEvent } from '../../../webapp/live/live-events.ts'

const streamOf = (...parts: readonly string[]): ReadableStream<Uint8Array> =>
  new ReadableStream({
    start: (controller) => {
      for (const part of parts) controller.enqueue(new TextEncoder().encode(part))
      controller.close()
    },
  })

const CHANGE = { runs: [], baselines: [{ project: 'p', suite: 'é' }], sets: [] }

it('the stream of changes is read in any parts', async () => {
  const text = `retry: 3000\nid: a\n\n:\n\nevent: changed\ndata: ${JSON.stringify(CHANGE)}\nid: b\n\nevent: later\ndata: {}\n\nevent: access\ndata: {}\nid: c\n\n`
  for (const size of [1, 7, text.length]) {
    const seen: Array<readonly [LiveEvent | null, string | null]> = []
    let parts = 0
    const pieces = text.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? []
    await readEvents(streamOf(...pieces), {
      alive: () => void parts++,
      event: (event, id) => seen.push([event, id]),
    })
    expect(parts).toBe(pieces.length)
    expect(seen.map(([event, id]) => [event?.kind, id])).toEqual([
      ['changed', 'b'],
      [undefined, null],
      ['access', 'c'],
    ])
    expect(seen[0]?.[0]).toEqual({ kind: 'changed', change: CHANGE })
  }
})

describe('a client of the stream', () => {
  afterEach(() => vi.useRealTimers())

  /** Follows answers in order; the last one repeats. */
  const follow = async (answers: ReadonlyArray<() => Response | Promise<Response>>, ms: number) => {
    vi.useFakeTimers()
    const requested: string[] = []
    const states: string[] = []
    const stop = new AbortController()
    vi.stubGlobal('fetch', async (url: string) => {
      requested.push(url)
      return (answers[requested.length - 1] ?? answers.at(-1))?.()
    })
    const ended = followEvents({
      signal: stop.signal,
      after: null,
      onEvent: () => {},
      onId: () => {},
      onState: (state) => states.push(state),
    })
    await vi.advanceTimersByTimeAsync(ms)
    stop.abort()
    await vi.advanceTimersByTimeAsync(1)
    return { requested, states, ended }
  }

  it('resumes after the last id when the stream ends, and says nothing of a short gap', async () => {
    const { requested, states, ended } = await follow(
      [() => new Response(streamOf('event: access\ndata: {}\nid: last\n\n'))],
      3_500,
    )
    await ended
    expect(requested).toEqual(['/api/v1/events/stream', '/api/v1/events/stream?after=last'])
    expect(new Set(states)).toEqual(new Set(['starting', 'live']))
  })

  it('leaves no listener on its signal, however often it connects', async () => {
    vi.useFakeTimers()
    const stop = new AbortController()
    const [added, removed] = [vi.spyOn(stop.signal, 'addEventListener'), vi.spyOn(stop.signal, 'removeEventListener')]
    let requests = 0
    vi.stubGlobal('fetch', async () => {
      requests++
      return new Response(streamOf('event: access\ndata: {}\nid: x\n\n'))
    })
    const nothing = (): void => {}
    const ended = followEvents({ signal: stop.signal, after: null, onEvent: nothing, onId: nothing, onState: nothing })
    await vi.advanceTimersByTimeAsync(31_000)
    expect(requests).toBe(11)
    const listeners = (of: typeof added | typeof removed) => of.mock.calls.map(([, listener]) => listener)
    // Of eleven waits ten are over.
    expect(new Set(listeners(removed)).size).toBe(10)
    stop.abort()
    await ended
    expect(listeners(added)).toEqual(expect.arrayContaining(listeners(removed)))
  })

  it('says when updates stopped, and tries again less and less often', async () => {
    const { requested, states, ended } = await follow([() => Response.json({ error: 'busy' }, { status: 503 })], 60_000)
    await ended
    // After 3, 6, 12 and 20 seconds.
    expect(requested).toHaveLength(5)
    expect(new Set(states)).toEqual(new Set(['starting', 'stopped']))
  })

  it('gives up when the session is over', async () => {
    const { requested, ended } = await follow([() => Response.json({ error: 'no' }, { status: 401 })], 60_000)
    await ended
    expect(requested).toHaveLength(1)
  })
})
