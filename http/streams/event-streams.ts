import type { IncomingMessage, ServerResponse } from 'node:http'
import type { PublishedChange } from '../../commands/changes.ts'
import { seesSet, type ViewerClass } from '../../queries/access/viewer-class.ts'
import type { Viewer } from '../../queries/access/viewer.ts'
import { unlessBeingBuilt } from '../../queries/reviews/judges.ts'
import { learnsOf, listQueueAudiences, type QueueAudience } from '../../queries/reviews/queue-audience.ts'
import { MAX_EVENTS_BEHIND, type Batch } from '../../runtime/change-feed.ts'
import { callerOf } from '../../runtime/threads/caller.ts'
import { Busy } from '../../storage/errors.ts'
import { viewerName, viewerKey, type ViewerClasses } from '../answers/viewer-classes.ts'
import { TooManyAttempts } from '../errors.ts'
import type { Gate, RouteRules } from '../identity/gate.ts'
import type { Identity } from '../identity/identity.ts'
import type { Services } from '../services.ts'
import { HEARTBEAT_LINE, idText, changeMessage, messageText, RETRY_LINE, type Message } from './messages.ts'
import { noticedDigest, sealedIds } from './sealed-ids.ts'

/** Interval of messages. It does not depend on what happens, so the time of a message shows nothing that is hidden. */
const MESSAGE_INTERVAL_MS = 250

const HEARTBEAT_INTERVAL_MS = 15_000

/** How often a credential is looked at while nothing changes: a session ends without an event. */
const CREDENTIAL_INTERVAL_MS = 500

/** Bytes that a client may be behind before it is disconnected. */
const MAX_BUFFERED_BYTES = 256 * 1024

/** How long a client waits when there are too many streams. */
const RETRY_AFTER_MS = 30_000

export const STREAM_LIMITS = { process: 1_000, identity: 20 } as const

/** Viewers whose classes are read at the same time. */
const READS_AT_ONCE = 8

/** Which changes a stream reports; undefined is all. */
export type StreamFilter = { readonly project?: string | undefined; readonly suite?: string | undefined }

type Stream = {
  readonly request: Pick<IncomingMessage, 'headers' | 'socket' | 'method'>
  readonly response: ServerResponse
  readonly rules: RouteRules
  readonly filter: StreamFilter
  viewer: Viewer
  /** The digest of the access that was last reported to the client. */
  noticed: string
  /** Batches that were published since the last tick. */
  pending: Batch[]
  /** How many of them may be sent: later ones came after the queues were read. */
  due: number
  /** Changes for which the last message had no room. */
  backlog: readonly PublishedChange[]
  /** Whether the client must fetch everything again. */
  isReset: boolean
  isAccessChanged: boolean
  /** Everything up to this position was sent. */
  position: number
  heartbeatAt: number
  checkedGeneration: number
  checkedAt: number
  leave: () => void
}

export type OpenStream = {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly viewer: Viewer
  readonly rules: RouteRules
  readonly filter: StreamFilter
  /** The id of the last message that the client has, or null. */
  readonly after: string | null
  /** Writes the headers. */
  readonly begin: () => void
}

export type EventStreams = {
  /** Begins a stream. Throws: TooManyAttempts, Busy, Unavailable; then nothing was written. */
  readonly open: (options: OpenStream) => Promise<void>
  /** The number of open streams. */
  readonly size: () => number
  /** Ends all streams and accepts no more. */
  readonly close: () => void
}

type Parts = Pick<Services, 'reader' | 'cache' | 'changes' | 'caughtUp' | 'now' | 'config' | 'logger'> & {
  readonly gate: Pick<Gate, 'identify' | 'admits'>
  readonly classes: ViewerClasses
  readonly maxBufferedBytes?: number
}

/** The queues of changes by their ids. */
type Queues = ReadonlyMap<string, QueueAudience>

type SealedIds = ReturnType<typeof sealedIds>

/** Counts the open streams of each caller. */
const streamCounts = () => {
  const countByCaller = new Map<string, number>()
  /** Counts a stream, and returns what to call when it ends. Throws `TooManyAttempts`. */
  return (caller: string): (() => void) => {
    const count = countByCaller.get(caller) ?? 0
    const total = [...countByCaller.values()].reduce((sum, each) => sum + each, 0)
    if (count >= STREAM_LIMITS.identity || total >= STREAM_LIMITS.process)
      throw new TooManyAttempts('too many event streams are open', RETRY_AFTER_MS)
    countByCaller.set(caller, count + 1)
    return () => {
      const left = (countByCaller.get(caller) ?? 1) - 1
      if (left === 0) countByCaller.delete(caller)
      else countByCaller.set(caller, left)
    }
  }
}

const end = (stream: Stream): void => {
  stream.leave()
  stream.response.end()
  // A client that does not read would keep its connection.
  if (stream.response.writableLength > 0) stream.response.destroy()
}

/** Returns the digest of a class. Every tick compares it for each stream. */
const classDigests = () => {
  const digests = new WeakMap<ViewerClass, string>()
  return (viewerClass: ViewerClass): string => {
    const known = digests.get(viewerClass)
    if (known !== undefined) return known
    const digest = noticedDigest(viewerClass.noticed)
    digests.set(viewerClass, digest)
    return digest
  }
}

/** What a stream has to report. `noticed` is the digest of its viewer's access now. */
const newsOf = (stream: Stream, noticed: string) => {
  const { viewer, pending, backlog } = stream
  const isAccessMoved =
    pending.some((batch) => batch.changes?.some(({ kind }) => kind === 'access')) ||
    backlog.some(({ kind }) => kind === 'access')
  return {
    hasAccessNews: stream.isAccessChanged || noticed !== stream.noticed || (viewer.sees_all && isAccessMoved),
    isReset:
      stream.isReset ||
      pending.some((batch) => batch.changes === null) ||
      backlog.length + pending.reduce((sum, batch) => sum + (batch.changes?.length ?? 0), 0) > MAX_EVENTS_BEHIND,
  }
}

/** Writes messages to streams: what happened since their last message, as far as their viewers may see it. */
const streamWriter = ({
  classes,
  ids,
  maxBufferedBytes,
}: Required<Pick<Parts, 'classes' | 'maxBufferedBytes'>> & { readonly ids: SealedIds }) => {
  const noticedOf = classDigests()

  const write = ({ response }: Stream, text: string): void => {
    if (response.destroyed || response.writableEnded) return
    response.write(text)
    if (response.writableLength > maxBufferedBytes) response.destroy()
  }

  /** Writes what a stream has not sent yet. `messages` are those of this tick, by the streams that share them. */
  const deliver = (stream: Stream, messages: Map<string, Message | null>, queues: Queues): void => {
    const { viewer, filter } = stream
    const pending = stream.pending.slice(0, stream.due)
    const key = viewerKey(viewer)
    const viewerClass = classes.find(key)
    // Access changed again; the next tick reads the class.
    if (!viewerClass) return
    const noticed = noticedOf(viewerClass)
    const last = pending.at(-1)?.to ?? stream.position
    const { hasAccessNews, isReset } = newsOf(stream, noticed)
    if (pending.length === 0 && stream.backlog.length === 0 && !hasAccessNews && !isReset) return

    stream.pending = stream.pending.slice(stream.due)
    stream.due = 0
    stream.isAccessChanged = false
    stream.isReset = false
    stream.noticed = noticed
    if (isReset) {
      stream.backlog = []
      stream.position = last
      return write(stream, messageText('reset', '{}', ids.seal({ position: last, noticed })))
    }
    const compose = (): Message | null => {
      const unsent = [...stream.backlog, ...pending.flatMap((batch) => batch.changes ?? [])]
      return changeMessage(
        unsent.filter((change) => isSeen(change, stream, viewerClass, queues)),
        queues,
      )
    }
    let message: Message | null
    if (stream.backlog.length > 0) message = compose()
    else {
      // What happens in a queue is not for all viewers of a class.
      const own = pending.some(hasReviews) ? [viewer.actor.user_id, viewer.actor.credential_id, viewer.actor.scope] : []
      const audience = JSON.stringify([viewerName(key), filter, pending[0]?.from, last, ...own])
      const shared = messages.get(audience)
      message = shared === undefined ? compose() : shared
      messages.set(audience, message)
    }
    stream.backlog = message?.rest ?? []
    // With a rest, the client resumes from before this message.
    if (stream.backlog.length === 0) stream.position = last
    const access = hasAccessNews ? messageText('access', '{}', null) : ''
    const id = ids.seal({ position: stream.position, noticed })
    if (message) write(stream, access + messageText('changed', message.data, id))
    else if (hasAccessNews) write(stream, messageText('access', '{}', id))
  }

  /** Writes what keeps a connection open. */
  const beat = (stream: Stream): void => {
    const at = performance.now()
    if (at < stream.heartbeatAt) return
    // Not from now: the time of a heartbeat does not depend on what is sent meanwhile.
    while (stream.heartbeatAt <= at) stream.heartbeatAt += HEARTBEAT_INTERVAL_MS
    const { position, noticed } = stream
    write(stream, HEARTBEAT_LINE + idText(ids.seal({ position, noticed })))
  }

  /** Writes the first lines of a stream. */
  const welcome = (stream: Stream, viewerClass: ViewerClass, queues: Queues): void => {
    const { position, noticed } = stream
    // Only what the viewer sees is news: otherwise the first lines would show that something hidden happened.
    const hasNews = stream.isReset || stream.backlog.some((change) => isSeen(change, stream, viewerClass, queues))
    write(stream, RETRY_LINE + (hasNews ? '\n' : idText(ids.seal({ position, noticed }))))
    deliver(stream, new Map(), queues)
  }

  return { noticedOf, deliver, beat, welcome }
}

const applyIdentity = (gate: Parts['gate'], stream: Stream, identity: Identity): void => {
  if (!gate.admits(stream.request, identity, stream.rules)) return end(stream)
  const { viewer } = stream
  const { sees_all, limit } = identity
  const isMoved = sees_all !== viewer.sees_all || limit?.all !== viewer.limit?.all
  if (isMoved) stream.isAccessChanged = true
  if (!isMoved && identity.scope === viewer.actor.scope) return
  stream.viewer = { ...viewer, sees_all, limit, actor: { ...viewer.actor, scope: identity.scope } }
}

/** Looks at the credentials again whose tags may have moved. */
const checkCredentials = async ({ cache, gate }: Parts, streams: readonly Stream[]): Promise<void> => {
  const generation = cache.generation()
  const at = performance.now()
  const waiting: Array<Promise<void>> = []
  for (const stream of streams) {
    if (stream.checkedGeneration === generation && at - stream.checkedAt < CREDENTIAL_INTERVAL_MS) continue
    const { headers, socket } = stream.request
    // A new object: for the same one, the first result would be returned.
    const identity = gate.identify({ headers, socket })
    stream.checkedGeneration = generation
    stream.checkedAt = at
    if (identity instanceof Promise) waiting.push(identity.then((found) => applyIdentity(gate, stream, found)))
    else applyIdentity(gate, stream, identity)
  }
  await Promise.all(waiting)
}

const readClasses = async ({ classes }: Parts, streams: Iterable<Stream>): Promise<void> => {
  const unread = new Map<string, Viewer>()
  for (const { viewer } of streams) {
    const key = viewerKey(viewer)
    if (!classes.find(key)) unread.set(viewerName(key), viewer)
  }
  const viewers = [...unread.values()]
  for (let start = 0; start < viewers.length; start += READS_AT_ONCE)
    await Promise.all(viewers.slice(start, start + READS_AT_ONCE).map((viewer) => classes.read(viewer)))
}

/** The class, current at this moment. */
const readClass = async ({ classes }: Parts, viewer: Viewer): Promise<ViewerClass> => {
  for (;;) {
    const found = classes.find(viewerKey(viewer))
    if (found) return found
    await classes.read(viewer)
  }
}

/** A stream that has sent nothing yet. */
const newStream = (
  { request, response, rules, filter, viewer }: OpenStream,
  { cache, changes }: Parts,
  leave: () => void,
): Stream => ({
  request: { headers: request.headers, socket: request.socket, method: request.method },
  response,
  rules,
  filter,
  viewer,
  noticed: '',
  pending: [],
  due: 0,
  backlog: [],
  isReset: false,
  isAccessChanged: false,
  position: changes.position(),
  heartbeatAt: performance.now() + HEARTBEAT_INTERVAL_MS,
  checkedGeneration: cache.generation(),
  checkedAt: performance.now(),
  leave,
})

/** Calls functions at every interval of messages, between `start` and `stop`. */
const ticker = (...calls: ReadonlyArray<() => void>) => {
  let timers: readonly NodeJS.Timeout[] = []
  return {
    start: (): void => {
      if (timers.length === 0) timers = calls.map((call) => setInterval(call, MESSAGE_INTERVAL_MS).unref())
    },
    stop: (): void => {
      for (const timer of timers) clearInterval(timer)
      timers = []
    },
  }
}

/**
 * The streams of events of one process. Every tick writes what commits changed since the last one: to each stream what
 * its viewer may see at that moment.
 */
export const eventStreams = (parts: Parts): EventStreams => {
  const { reader, changes, caughtUp, config, logger, classes, maxBufferedBytes = MAX_BUFFERED_BYTES } = parts
  const ids = sealedIds(config.secretKey)
  const writer = streamWriter({ classes, ids, maxBufferedBytes })
  const enter = streamCounts()
  const streams = new Set<Stream>()
  let isClosed = false
  let isTicking = false
  const tick = async (): Promise<void> => {
    if (isTicking) return
    isTicking = true
    try {
      await caughtUp()
      await checkCredentials(parts, [...streams])
      await readClasses(parts, streams)
      const waiting = [...streams]
      const queues = await readQueues(parts, waiting)
      const messages = new Map<string, Message | null>()
      for (const stream of waiting) if (streams.has(stream)) writer.deliver(stream, messages, queues)
    } catch (err) {
      // The store cannot be read. Requests report it; the streams wait for the next tick.
      logger.debug({ err }, 'the event streams could not be updated')
    } finally {
      isTicking = false
    }
  }
  const ticks = ticker(
    () => void tick(),
    () => streams.forEach(writer.beat),
  )

  /** Sets where a stream begins: after the last message of its client, if that is known. */
  const resume = async (stream: Stream, after: string | null): Promise<ViewerClass> => {
    const resumed = after === null ? null : ids.open(after)
    const since = resumed && (await changes.since(resumed.position, reader))
    const viewerClass = await readClass(parts, stream.viewer)
    stream.noticed = writer.noticedOf(viewerClass)
    if (after !== null && since === null) stream.isReset = true
    if (resumed && since) {
      stream.noticed = resumed.noticed
      stream.backlog = since
    }
    return viewerClass
  }

  const open = async (options: OpenStream): Promise<void> => {
    const { response, viewer, after, begin } = options
    if (isClosed) throw new Busy('the service is stopping')
    const release = enter(callerOf(viewer).name)
    const stream = newStream(options, parts, () => {
      stream.leave = () => {}
      unsubscribe()
      release()
      streams.delete(stream)
      if (streams.size === 0) ticks.stop()
    })
    const unsubscribe = changes.subscribe((batch) => stream.pending.push(batch))
    const leave = (error: unknown): never => {
      stream.leave()
      throw error
    }
    const viewerClass = await resume(stream, after).catch(leave)
    const queues = await readQueues(parts, [stream]).catch(leave)
    if (response.destroyed || isClosed) {
      stream.leave()
      if (isClosed) throw new Busy('the service is stopping')
      return
    }
    response.once('close', () => stream.leave())
    begin()
    streams.add(stream)
    ticks.start()
    writer.welcome(stream, viewerClass, queues)
  }

  return {
    open,
    size: () => streams.size,
    close: () => {
      isClosed = true
      for (const stream of [...streams]) end(stream)
    },
  }
}

const hasReviews = ({ changes }: Pick<Batch, 'changes'>): boolean =>
  changes?.some(({ kind }) => kind === 'review') ?? false

/**
 * Reads the queues in which something happened that streams have not reported. What is pending now is due. While the read
 * model of queues is being built, streams with such a change start over: all of them, whatever they may see.
 */
const readQueues = ({ reader }: Pick<Parts, 'reader'>, streams: readonly Stream[]): Promise<Queues> => {
  const batches = new Set(streams.flatMap(({ pending }) => pending))
  for (const stream of streams) stream.due = stream.pending.length
  const changes = [...[...batches].map((batch) => batch.changes ?? []), ...streams.map(({ backlog }) => backlog)]
  const ids = changes.flat().flatMap((change) => (change.kind === 'review' ? [change.queue_id] : []))
  return unlessBeingBuilt(reader.read(listQueueAudiences([...new Set(ids)])), () => {
    for (const stream of streams)
      if (stream.pending.some(hasReviews) || hasReviews({ changes: stream.backlog })) stream.isReset = true
    return new Map()
  })
}

/** Whether a stream reports a change: its viewer may see it, and it is of the set that the stream is about. */
const isSeen = (
  change: PublishedChange,
  { filter: { project, suite }, viewer }: Pick<Stream, 'filter' | 'viewer'>,
  viewerClass: ViewerClass,
  queues: Queues,
): boolean => {
  if (change.kind === 'access') return false
  const queue = change.kind === 'review' ? queues.get(change.queue_id) : null
  if (queue === undefined || (change.kind === 'review' && queue && !learnsOf(queue, change.step, viewer))) return false
  const set = queue ?? (change as Extract<PublishedChange, { readonly kind: 'run' | 'baseline' }>)
  return (
    (project === undefined || set.project === project) &&
    (suite === undefined || set.suite === suite) &&
    seesSet(viewerClass, set)
  )
}
