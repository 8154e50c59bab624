import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import type { Tag } from '../../commands/tags.ts'
import { etagOf } from '../../queries/etag.ts'
import type { LongReadAnswer } from '../../queries/long-reads.ts'
import type { RunSet } from '../../domain/sets.ts'
import type { Viewer } from '../../queries/access/viewer.ts'
import type { ViewerClass } from '../../queries/access/viewer-class.ts'
import { rulesFor } from '../requests/keyed-routes.ts'
import { canonicalUrl } from '../requests/canonical-url.ts'
import { isApiRead, matches, namesTag } from './cache-rules.ts'
import { mustExist } from '../errors.ts'
import { abortWhenClientLeaves } from './client-left.ts'
import { HEADERS_OF_BODY } from './header-order.ts'
import { answerStream } from './outgoing-bytes.ts'
import { viewerKey, type ViewerClasses, type ViewerKey } from './viewer-classes.ts'
import { entryOf, JSON_HEADERS, type Entry } from '../../runtime/response-cache.ts'
import { seenTags } from '../../runtime/seen-tags.ts'
import type { Services } from '../services.ts'
import { callerOf } from '../../runtime/threads/caller.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /**
     * The answers of this route are cached until their content changes. The handler returns its result, or passes it to
     * `answerText`. It must not change the reply in any other way.
     */
    cached?: Cached
  }
  interface FastifyRequest {
    /** On cached routes: aborted when no client waits for the answer any more. */
    clientLeft: AbortSignal
  }
  interface FastifyReply {
    /** The answer of a cached route if it is text already. */
    finishedAnswer: string | LongReadAnswer | undefined
  }
}

/** What the functions of `Cached` read of a request. */
export type CachedRequest<Params = object, Query = object> = {
  readonly viewer: Viewer
  readonly params: Params
  readonly query: Query
}

/** How a route's answers are cached. The answers depend only on the path, the query and the viewer's access. */
export type Cached = {
  /** What the answer depends on, as tags of `commands/tags.ts`; `set` is what `findSet` found. */
  tags(params: object, query: object, set: RunSet | null): readonly Tag[]
  /** Finds the run set that the answer is about, if the path does not name it. */
  findSet?(request: CachedRequest): Promise<RunSet | null>
  /** Headers of an answer that is not JSON, its content type among them. */
  readonly headers?: Readonly<Record<string, string>>
  /** The answer also contains the viewer's own levels. */
  readonly levels?: true
  /** The answer also depends on the time: it changes whenever this many milliseconds have passed. */
  readonly everyMs?: number
  /**
   * The ETag of an answer that is too long to be hashed, or null if it has none. It is found without producing the
   * answer.
   */
  tag?(request: CachedRequest): Promise<string | null>
}

/**
 * Cache keys. A key with a text of the viewer class begins with the name of that text, `sees` or `levels`, because both
 * texts can be equal.
 */
const KEYS = {
  // The answers of routes that are open to everyone are the same for all viewers.
  open: (url: string) => `open ${url}`,
  sees: ({ sees }: ViewerClass, url: string) => `sees ${sees} ${url}`,
  levels: ({ levels }: ViewerClass, url: string) => `levels ${levels} ${url}`,
}

const responseKey = ({ levels }: Cached, viewerClass: ViewerClass | undefined, url: string): string => {
  if (!viewerClass) return KEYS.open(url)
  return levels ? KEYS.levels(viewerClass, url) : KEYS.sees(viewerClass, url)
}

export type CachedAnswers = {
  /** The cached answer for a viewer. Before it is sent, the gate must admit the request by the rules of its route. */
  readonly find: (url: string, viewer: ViewerKey) => Entry | undefined
}

type Parts = Pick<Services, 'cache' | 'now'> & { readonly classes: ViewerClasses }

/**
 * Caches the answers of routes with `cached`. Adds a strong ETag, computed from the body, to the answers of API reads.
 * Answers 304 if the client already has the body. An ETag of the content reveals nothing that the viewer cannot see. A
 * version number would reveal that hidden content changed.
 */
export const cachedRoutes = (app: FastifyInstance, parts: Parts): CachedAnswers => {
  const { cache, classes } = parts
  app.decorateRequest('clientLeft')
  app.decorateReply('finishedAnswer')
  app.addHook('onRoute', (route) => {
    if (route.config?.cached) route.handler = cachedHandler(route, route.config.cached, parts)
  })
  app.addHook('onSend', async (request, reply, payload) => answerNotModified(request, reply, payload))

  return {
    find: (target, viewer) => {
      const url = canonicalUrl(target)
      const found = classes.find(viewer)
      const closed = found && (cache.find(KEYS.sees(found, url)) ?? cache.find(KEYS.levels(found, url)))
      return closed ?? cache.find(KEYS.open(url))
    },
  }
}

/** Answers from the cache, or with the handler of a route, whose answer is then cached. */
const cachedHandler = (
  { handler, url, config: rules = {} }: RouteOptions,
  cached: Cached,
  { cache, classes, now }: Parts,
): RouteOptions['handler'] =>
  async function (request, reply) {
    const fill = async (signal: AbortSignal): Promise<Entry> => {
      request.clientLeft = signal
      // Before the handler reads the time: an answer that is made while a period ends is cached for no time.
      const until = cached.everyMs === undefined ? undefined : (Math.floor(now() / cached.everyMs) + 1) * cached.everyMs
      const answer: unknown = await handler.call(this, request, reply)
      const made = entryOf(reply.finishedAnswer ?? JSON.stringify(answer), url)
      const entry = cached.headers ? { ...made, headers: cached.headers } : made
      return until === undefined ? entry : { ...entry, until }
    }
    const heldTag = await findHeldTag(cached, request)
    if (heldTag !== null) return reply.header('etag', heldTag).send('')
    // A commit has not invalidated its tags here yet. Until then every request is answered from the store.
    if (cache.hasUnseenCommits()) return send(request, reply, await fill(abortWhenClientLeaves(reply)))
    const { viewer } = request
    const isOpen = (rulesFor(rules, request.url).scope ?? null) === null
    const [params, query] = [request.params as object, request.query as object]
    let found: { readonly generation: number; readonly set: RunSet | null } | null = null
    // The class of the viewer and the set of the run are read again until nothing invalidates them during the reads.
    // Between the last check and the call of `cache.answer` there is no `await`, so no new answer is cached for an old
    // class or for an earlier set.
    for (;;) {
      const viewerClass = isOpen ? undefined : classes.find(viewerKey(viewer))
      if (!viewerClass && !isOpen) {
        await classes.read(viewer)
        continue
      }
      const key = responseKey(cached, viewerClass, canonicalUrl(request.url))
      const tags = seenTags(cached.tags(params, query, found?.set ?? null), viewerClass)
      // An answer that is cached already needs no tags.
      if (cached.findSet && !cache.find(key) && !(found && cache.isValid(found.generation, tags))) {
        found = { generation: cache.generation(), set: await cached.findSet({ viewer, params, query }) }
        continue
      }
      // Concurrent requests share one read only if they are of the same caller. Otherwise a request of one caller
      // would wait in the queue of another caller.
      return send(
        request,
        reply,
        await cache.answer(key, callerOf(viewer).name, tags, abortWhenClientLeaves(reply), fill),
      )
    }
  }

/** Adds the ETag of an API read, and removes the body if the client already has it. */
const answerNotModified = (request: FastifyRequest, reply: FastifyReply, payload: unknown): unknown => {
  // JSON is always UTF-8, and clients compare the type without a charset.
  if (reply.getHeader('content-type') === 'application/json; charset=utf-8')
    void reply.header('content-type', 'application/json')
  if (reply.statusCode !== 200 || !isApiRead(request)) return payload
  if (!reply.hasHeader('etag')) {
    if (typeof payload !== 'string' && !(payload instanceof Uint8Array)) return payload
    void reply.header('etag', etagOf(payload))
  }
  if (!matches(request.headers['if-none-match'], String(reply.getHeader('etag')))) return payload
  void reply.code(304)
  for (const name of HEADERS_OF_BODY) void reply.removeHeader(name)
  if (payload !== null && typeof payload === 'object' && 'destroy' in payload)
    (payload as { destroy: () => void }).destroy()
  // For HEAD, a hook of Fastify itself runs after this one. It inspects the body, and fails if it is null.
  return request.method === 'HEAD' ? Readable.from([]) : null
}

/** The ETag of a long answer if the client already has it, else null. */
const findHeldTag = async (
  cached: Cached,
  { viewer, params, query, headers: { 'if-none-match': heldTags } }: FastifyRequest,
): Promise<string | null> => {
  const tag =
    heldTags === undefined || !cached.tag
      ? null
      : await cached.tag({ viewer, params: params as object, query: query as object })
  // `*` does not count here: it matches only an answer that exists.
  return tag !== null && namesTag(heldTags ?? '', tag) ? tag : null
}

const send = (
  { method, raw }: FastifyRequest,
  reply: FastifyReply,
  { etag, bytes, headers = JSON_HEADERS, rest }: Entry,
): FastifyReply => {
  void reply.headers(headers).header('etag', etag)
  if (!rest) return reply.send(bytes)
  // Fastify would read all parts of the stream and discard them.
  if (method === 'HEAD') return reply.send(Readable.from([]))
  const parts = answerStream(bytes, rest)
  // An HTTP/1.0 answer ends when its connection is closed. So only a reset of the connection shows that it is
  // incomplete. Some proxies use HTTP/1.0.
  if (raw.httpVersion === '1.0') parts.once('error', () => raw.socket.resetAndDestroy())
  return reply.send(parts)
}

/**
 * Sets the answer of a handler if it is already text. It may have an ETag, if the thread that produced it has
 * hashed it.
 */
export const answerText = (reply: FastifyReply, answer: string | LongReadAnswer): void => {
  reply.finishedAnswer = answer
}

/** Sends the answer of a long read of a route that is not cached. Refuses: not_found, if there is none. */
export const sendFound = (reply: FastifyReply, answer: LongReadAnswer | null, thing: string): FastifyReply => {
  const { etag, body } = mustExist(answer, thing)
  if (etag !== null) void reply.header('etag', etag)
  return reply.type('application/json').send(body)
}

/** Sets the answer of a handler like `answerText`. Refuses: not_found, if there is none. */
export const answerFound = (reply: FastifyReply, answer: string | LongReadAnswer | null, thing: string): void =>
  answerText(reply, mustExist(answer, thing))
