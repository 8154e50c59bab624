import { createParser } from 'eventsource-parser'
import { api, ApiError, queryOf } from '../api/api.ts'
import { parseEvent, type LiveEvent, type LiveState } from './live-events.ts'

/** The server sends a heartbeat every 15 s. After two that are missing, the connection is taken for dead. */
const SILENCE_MS = 40_000

/** Wait before the stream is opened again; it doubles with every failure. */
const RETRY_MS = 3_000
const MAX_RETRY_MS = 20_000

type Options = {
  /** Aborts when no stream is wanted any more. */
  readonly signal: AbortSignal
  /** The id of the last event that is known, if any. */
  readonly after: string | null
  readonly onEvent: (event: LiveEvent) => void
  /** Called with each id, so that another tab can resume. */
  readonly onId: (id: string) => void
  readonly onState: (state: Exclude<LiveState, 'off'>) => void
}

/**
 * Follows the stream of events until the signal aborts. It reads with `fetch`, because `EventSource` shows neither the
 * heartbeats nor why a server refuses.
 */
export const followEvents = async ({ signal, after, onEvent, onId, onState }: Options): Promise<void> => {
  let lastId = after
  let failures = 0
  onState('starting')
  while (!signal.aborted) {
    const silence = new AbortController()
    let timer = setTimeout(() => silence.abort(), SILENCE_MS)
    const alive = (): void => {
      clearTimeout(timer)
      timer = setTimeout(() => silence.abort(), SILENCE_MS)
    }
    try {
      const { body } = await api.stream(
        `/events/stream${queryOf({ after: lastId })}`,
        AbortSignal.any([signal, silence.signal]),
      )
      failures = 0
      onState('live')
      await readEvents(body, {
        alive,
        event: (event, id) => {
          if (event) onEvent(event)
          if (id !== null) onId((lastId = id))
        },
      })
    } catch (error) {
      if (signal.aborted) break
      // An account without a session: the app shows the sign-in page, which needs no stream.
      if (error instanceof ApiError && error.status === 401) break
      failures++
    } finally {
      clearTimeout(timer)
    }
    if (signal.aborted) break
    // A stream that ends at once, for example during a restart, is opened again before anyone notices.
    if (failures > 0) onState('stopped')
    await pause(Math.min(MAX_RETRY_MS, RETRY_MS * 2 ** Math.max(0, failures - 1)), signal)
  }
}

type Handlers = {
  /** Called for everything that arrives, heartbeats included. */
  readonly alive: () => void
  readonly event: (event: LiveEvent | null, id: string | null) => void
}

/** Reads a stream of server-sent events to its end. */
export const readEvents = async (
  body: ReadableStream<Uint8Array> | null,
  { alive, event }: Handlers,
): Promise<void> => {
  const parser = createParser({
    onEvent: (message) => event(parseEvent(message.event, message.data), message.id ?? null),
  })
  const reader = (body ?? new ReadableStream<Uint8Array>()).getReader()
  const decoder = new TextDecoder()
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return
    alive()
    parser.feed(decoder.decode(value, { stream: true }))
  }
}

/** Waits, unless the signal aborts. */
const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((done) => {
    const end = (): void => {
      clearTimeout(timer)
      signal.removeEventListener('abort', end)
      done()
    }
    const timer = setTimeout(end, ms)
    // The listener is removed after each wait: the signal lives as long as the page, and there are many waits.
    signal.addEventListener('abort', end)
  })
