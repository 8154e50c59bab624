import type { PublishedChange } from '../../commands/changes.ts'
import type { RunSet } from '../../domain/sets.ts'
import type { QueueAudience } from '../../queries/reviews/queue-audience.ts'

// The text of a stream: https://html.spec.whatwg.org/multipage/server-sent-events.html

/** Maximum characters of one message; the rest follows in the next one. */
const MAX_MESSAGE_CHARACTERS = 64 * 1024

/** How long a client waits before it connects again. */
const RETRY_MS = 3_000

/** The first line of every stream. */
export const RETRY_LINE = `retry: ${RETRY_MS}\n`

/** Sets the id from which the client resumes, without a message. */
export const idText = (id: string): string => `id: ${id}\n\n`

export const HEARTBEAT_LINE = ':\n'

/** One message. Without an id, the client keeps the last one. */
export const messageText = (event: 'changed' | 'access' | 'reset', data: string, id: string | null): string =>
  `event: ${event}\ndata: ${data}\n${id === null ? '' : `id: ${id}\n`}\n`

/** The data of a message, and the changes for which it has no room. */
export type Message = { readonly data: string; readonly rest: readonly PublishedChange[] }

const setText = ({ project, suite }: RunSet): string => JSON.stringify({ project, suite })

/**
 * The message of the first changes, each thing once. Changes of access are not part of it. Null without changes. `queues` has the sets of
 * queues by their ids.
 */
export const changeMessage = (
  changes: readonly PublishedChange[],
  queues: ReadonlyMap<string, Pick<QueueAudience, 'project' | 'suite'>> = new Map(),
  maxCharacters = MAX_MESSAGE_CHARACTERS,
): Message | null => {
  const runs = new Set<string>()
  const baselines = new Set<string>()
  const reviews = new Set<string>()
  const sets = new Set<string>()
  let length = 0
  const add = (texts: Set<string>, text: string): void => {
    if (texts.has(text)) return
    texts.add(text)
    length += text.length
  }
  let taken = 0
  for (const change of changes) {
    if (length > maxCharacters) break
    taken++
    if (change.kind === 'access') continue
    const set = change.kind === 'review' ? queues.get(change.queue_id) : change
    if (set === undefined) continue
    const { project, suite } = set
    if (change.kind === 'review') add(reviews, JSON.stringify({ id: change.queue_id, project, suite }))
    else if (change.kind === 'run') add(runs, JSON.stringify({ id: change.id, project, suite }))
    else add(baselines, setText(set))
    add(sets, setText(set))
  }
  if (sets.size === 0) return null
  const list = (texts: ReadonlySet<string>): string => `[${[...texts].join(',')}]`
  return {
    data: `{"runs":${list(runs)},"baselines":${list(baselines)},"reviews":${list(reviews)},"sets":${list(sets)}}`,
    rest: changes.slice(taken),
  }
}
