import { request, type IncomingHttpHeaders, type IncomingMessage } from 'node:http'

export type StreamEvent = { readonly event: string; readonly data: unknown; readonly id: string | null }

/** A client of a stream of events. */
export type EventClient = {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  /** Everything received so far. */
  readonly text: () => string
  /** The next event; null when the stream has ended. */
  readonly next: () => Promise<StreamEvent | null>
  /** The last id that was received. */
  readonly lastId: () => string | null
  /** The next data of events named `changed`. */
  readonly nextChanged: () => Promise<Changed | null>
  /** Stops reading, so that the server has to keep what it sends. */
  readonly pause: () => void
  /** Settles when the server has ended the stream. */
  readonly ended: Promise<void>
  readonly close: () => void
}

export type Changed = {
  readonly runs: ReadonlyArray<{ readonly id: string; readonly project: string | null; readonly suite: string | null }>
  readonly baselines: ReadonlyArray<{ readonly project: string; readonly suite: string }>
  readonly reviews: ReadonlyArray<{ readonly id: string; readonly project: string; readonly suite: string }>
  readonly sets: ReadonlyArray<{ readonly project: string | null; readonly suite: string | null }>
}

type Options = {
  readonly token?: string | null
  readonly query?: string
  readonly lastEventId?: string | null
  readonly headers?: Readonly<Record<string, string>>
}

/** Opens a stream at a server. */
export const openEvents = async (
  url: string,
  { token = null, query = '', lastEventId = null, headers = {} }: Options = {},
): Promise<EventClient> => {
  const sent = request(`${url}/api/v1/events/stream${query}`, {
    agent: false,
    headers: {
      ...(token === null ? {} : { authorization: `Bearer ${token}` }),
      ...(lastEventId === null ? {} : { 'last-event-id': lastEventId }),
      ...headers,
    },
  })
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    sent.once('response', resolve).once('error', reject)
    sent.end()
  })
  const ended = new Promise<void>((resolve) => answer.once('close', resolve))
  let received = ''
  let parsed = 0
  let id: string | null = null
  const queue: StreamEvent[] = []
  let wake = (): void => {}
  const parse = (): void => {
    for (let end = received.indexOf('\n\n', parsed); end >= 0; end = received.indexOf('\n\n', parsed)) {
      const fields = new Map(
        received
          .slice(parsed, end)
          .split('\n')
          .map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)] as const),
      )
      parsed = end + 2
      id = fields.get('id') ?? id
      const event = fields.get('event')
      if (event !== undefined)
        queue.push({ event, data: JSON.parse(fields.get('data') ?? 'null') as unknown, id: fields.get('id') ?? null })
    }
  }
  answer.setEncoding('utf8')
  answer.on('data', (chunk: string) => {
    received += chunk
    parse()
    wake()
  })
  // A stream that is cut off ends with an error, which is an end too.
  answer.on('error', () => {})
  let hasEnded = false
  void ended.then(() => {
    hasEnded = true
    wake()
  })
  const next = async (): Promise<StreamEvent | null> => {
    for (;;) {
      const found = queue.shift()
      if (found) return found
      if (hasEnded) return null
      await new Promise<void>((resolve) => (wake = resolve))
    }
  }
  return {
    status: answer.statusCode ?? 0,
    headers: answer.headers,
    text: () => received,
    next,
    lastId: () => id,
    nextChanged: async () => {
      for (let found = await next(); found; found = await next())
        if (found.event === 'changed') return found.data as Changed
      return null
    },
    pause: () => void answer.pause(),
    ended,
    close: () => sent.destroy(),
  }
}
