import { followEvents } from './connection.ts'
import type { LiveEvent, LiveState } from './live-events.ts'

/** The name of the lock and of the channel. */
const NAME = 'live'

type Message =
  | { readonly kind: 'event'; readonly event: LiveEvent }
  | { readonly kind: 'id'; readonly id: string }
  | { readonly kind: 'state'; readonly state: Exclude<LiveState, 'off'> }
  | { readonly kind: 'which state' }

type Options = {
  readonly signal: AbortSignal
  readonly onEvent: (event: LiveEvent) => void
  readonly onState: (state: LiveState) => void
}

/**
 * Follows the server's changes with one stream for all tabs of the browser, which opens only a few connections to a
 * server. The tab that holds the lock has the stream and passes on what it receives. When it closes, the browser gives
 * the lock to the next tab, which resumes. Without locks, as on an address without TLS, a tab has a stream of its own
 * while it is visible.
 */
export const followInOneTab = (options: Options): void => {
  if ('locks' in navigator) followWithLock(options)
  else followWhileVisible(options)
}

const followWithLock = ({ signal, onEvent, onState }: Options): void => {
  const channel = new BroadcastChannel(NAME)
  let lastId: string | null = null
  let state: Exclude<LiveState, 'off'> = 'starting'
  let isLeader = false
  const post = (message: Message): void => channel.postMessage(message)

  channel.addEventListener('message', ({ data }: MessageEvent<Message>) => {
    if (data.kind === 'event') onEvent(data.event)
    else if (data.kind === 'id') lastId = data.id
    else if (data.kind === 'state') {
      state = data.state
      onState(state)
    } else if (isLeader) {
      post({ kind: 'state', state })
      if (lastId !== null) post({ kind: 'id', id: lastId })
    }
  })
  onState('starting')
  post({ kind: 'which state' })

  const lead = (): Promise<void> => {
    isLeader = true
    return followEvents({
      signal,
      after: lastId,
      onEvent: (event) => {
        onEvent(event)
        post({ kind: 'event', event })
      },
      onId: (id) => {
        lastId = id
        post({ kind: 'id', id })
      },
      onState: (now) => {
        state = now
        onState(now)
        post({ kind: 'state', state: now })
      },
    })
  }
  // An abort while waiting rejects, which is no failure.
  navigator.locks.request(NAME, { signal }, lead).catch(() => undefined)
  signal.addEventListener('abort', () => channel.close(), { once: true })
}

const followWhileVisible = ({ signal, onEvent, onState }: Options): void => {
  let hidden: AbortController | null = null
  let lastId: string | null = null
  const update = (): void => {
    if (document.visibilityState === 'hidden') {
      hidden?.abort()
      hidden = null
    } else if (!hidden) {
      hidden = new AbortController()
      void followEvents({
        signal: AbortSignal.any([signal, hidden.signal]),
        after: lastId,
        onEvent,
        onId: (id) => (lastId = id),
        onState,
      })
    }
  }
  document.addEventListener('visibilitychange', update, { signal })
  update()
}
