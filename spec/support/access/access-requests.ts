import type { Send, SpecApp } from '../servers/app.ts'

export const json = { 'content-type': 'application/json' }
export const NO_SET = { error: 'run set not found' }

export type SpecResponse = Awaited<ReturnType<Send>>
/** Returns the status, with the body if there is one. The requests below resolve with the same. */
export const statusAndBody = ({ statusCode, body }: SpecResponse): unknown =>
  body === '' ? statusCode : [statusCode, JSON.parse(body)]

export const put = async (send: Send, path: string, body?: unknown) =>
  statusAndBody(await send('PUT', path, body === undefined ? {} : { headers: json, body: JSON.stringify(body) }))
export const remove = async (send: Send, path: string) => statusAndBody(await send('DELETE', path))
export const get = async (send: Send, path: string) => statusAndBody(await send('GET', path))

type Event = {
  readonly seq: number
  readonly type: string
  readonly stream: string
  readonly actor: { readonly user_id: string | null }
  readonly data: Readonly<Record<string, unknown>>
}

/** The events of the log, in order. */
export const eventsOf = async ({ rows }: SpecApp): Promise<Event[]> => {
  const stored = (await rows(
    'SELECT seq, type, body FROM events JOIN event_bodies USING (seq) ORDER BY seq',
  )) as Array<{
    seq: number
    type: string
    body: string
  }>
  return stored.map(({ seq, type, body }) => ({
    seq,
    type,
    ...(JSON.parse(body) as Pick<Event, 'stream' | 'actor' | 'data'>),
  }))
}
