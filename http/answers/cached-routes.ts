import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { LRUCache } from 'lru-cache'
import type { Tag } from '../../commands/tags.ts'
import type { LongReadAnswer } from '../../queries/long-reads.ts'
import { etagOf } from '../../queries/long-reads.ts'
import type { Viewer } from '../../queries/access/viewer.ts'
import { findViewerClass } from '../../queries/access/visible.ts'
import type { ViewerClass } from '../../queries/access/visible.ts'
import { canonicalUrl } from '../requests/canonical-url.ts'
import { isApiRead, matches, namesTag } from './cache-rules.ts'
import { abortWhenClientLeaves } from './client-gone.ts'
import { HEADERS_OF_BODY } from './header-order.ts'
import { streamOf } from './outgoing-bytes.ts'
import { entryOf } from '../../runtime/response-cache.ts'
import type { Entry } from '../../runtime/response-cache.ts'
import { seenTags } from '../../runtime/seen-tags.ts'
import type { Services } from '../services.ts'
import { callerOf } from '../../runtime/threads/turn-taker.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /**
     * The answers are cached until what they are made of changes. Their handler returns its result and touches nothing
     * else of the reply.
     */
    cached?: Cached
  }
  interface FastifyRequest {
    /** Aborted when no client waits for the answer of a cached route any more. */
    gone: AbortSignal
  }
  interface FastifyReply {
    /** The answer of a cached route that is text already. */
    finished: string | LongReadAnswer | undefined
  }
}

/**
 * How a route's answers are kept. They depend on path and query, on who may see what, and on nothing else of the
 * request.
 */
export type Cached = {
  /** What the answer is made of, in the words of `commands/tags.ts`. */
  tags(params: object, query: object): readonly Tag[]
  /** The answer tells the viewer's own levels, too. */
  readonly levels?: true
  /**
   * The tag that the answer has where it is too long to be hashed; null where there is none. Known without making the
   * answer.
   */
  tag?(asked: { readonly viewer: Viewer; readonly params: object; readonly query: object }): Promise<string | null>
}

/** Viewers whose class is known; one that is forgotten costs a short read. */
const MAX_VIEWERS = 1_000

/** Which of several viewers' answers: told apart by kind, since both kinds of classes have names in common. */
const KEYS = {
  // Answers of routes that are open to everyone show nothing that could be hidden.
  open: (url: string) => `open ${url}`,
  sees: ({ sees }: ViewerClass, url: string) => `sees ${sees} ${url}`,
  levels: ({ levels }: ViewerClass, url: string) => `levels ${levels} ${url}`,
}

export type CachedAnswers = {
  /** A kept answer for someone, if they pass the gates of the route that it names. */
  readonly find: (url: string, who: Who) => Entry | undefined
}

/** What decides what a viewer is shown. */
type Who = { readonly sees_all: boolean; readonly user_id: string | null }

/**
 * Keeps the answers of routes that say `cached`, and gives the API's GETs their cache rules: private, always
 * revalidated, with a strong ETag over the body bytes (so that no number betrays what the viewer cannot see) and 304
 * where the client holds them already.
 */
export const cachedRoutes = (
  app: FastifyInstance,
  { cache, reader }: Pick<Services, 'cache' | 'reader'>,
): CachedAnswers => {
  const classes = new LRUCache<string, { readonly turn: number; readonly known: ViewerClass }>({ max: MAX_VIEWERS })

  /** The class that still holds; undefined where it must be read. */
  const knownClass = (who: Who): ViewerClass | undefined => {
    const found = classes.get(nameOf(who))
    return found && cache.isValid(found.turn, []) ? found.known : undefined
  }
  const learnClass = async (viewer: Viewer): Promise<void> => {
    const turn = cache.generation()
    const found = await reader.read(findViewerClass(viewer))
    classes.set(nameOf(whoIs(viewer)), {
      turn,
      known: { ...found, restrictions: found.restrictions && cache.distinguish(found.restrictions) },
    })
  }

  app.decorateRequest('gone')
  app.decorateReply('finished')
  app.addHook('onRoute', (route) => {
    const cached = route.config?.cached
    if (!cached) return
    const { handler } = route
    const origin = { route: route.url, scope: route.config?.scope ?? null }
    route.handler = async function (request, reply) {
      const fill = async (signal: AbortSignal): Promise<Entry> => {
        request.gone = signal
        const answer: unknown = await handler.call(this, request, reply)
        return entryOf(reply.finished ?? JSON.stringify(answer), origin)
      }
      const held = await heldOf(cached, request)
      if (held !== null) return reply.header('etag', held).send('')
      // For that moment everybody is answered from the store alone.
      if (cache.hasUnseenCommits()) return send(request, reply, await fill(abortWhenClientLeaves(reply)))
      let of = knownClass(whoIs(request.viewer))
      // Asked again after every wait: from here to the fill nothing may move, or a new answer would be kept for an old
      // class.
      while (!of && origin.scope !== null) {
        await learnClass(request.viewer)
        of = knownClass(whoIs(request.viewer))
      }
      const url = canonicalUrl(request.url)
      const key =
        !of || origin.scope === null ? KEYS.open(url) : cached.levels ? KEYS.levels(of, url) : KEYS.sees(of, url)
      const tags = seenTags(cached.tags(request.params as object, request.query as object), of)
      // Shared within one caller alone: a caller that waits for another's read would wait for that caller's turns, too.
      return send(
        request,
        reply,
        await cache.answer(key, callerOf(request.viewer).name, tags, abortWhenClientLeaves(reply), fill),
      )
    }
  })

  app.addHook('onSend', async (request, reply, payload) => {
    // JSON is UTF-8 by definition; clients compare the bare type.
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
    // After this hook fastify's own for HEAD asks what a body is, and null it cannot ask.
    return request.method === 'HEAD' ? Readable.from([]) : null
  })

  return {
    find: (target, who) => {
      const url = canonicalUrl(target)
      const of = knownClass(who)
      return (of && (cache.find(KEYS.sees(of, url)) ?? cache.find(KEYS.levels(of, url)))) ?? cache.find(KEYS.open(url))
    },
  }
}

/** The tag of a long answer that the client names because it holds that one already; null where it names none. */
const heldOf = async (
  cached: Cached,
  { viewer, params, query, headers: { 'if-none-match': asked } }: FastifyRequest,
): Promise<string | null> => {
  const found =
    asked === undefined || !cached.tag
      ? null
      : await cached.tag({ viewer, params: params as object, query: query as object })
  // `*` would match, too: which tag the answer has is not known before it is made.
  return found !== null && namesTag(asked ?? '', found) ? found : null
}

const send = ({ method, raw }: FastifyRequest, reply: FastifyReply, { etag, bytes, rest }: Entry): FastifyReply => {
  void reply.type('application/json').header('etag', etag)
  if (!rest) return reply.send(bytes)
  // Of a stream fastify would have all parts made, and throw them away.
  if (method === 'HEAD') return reply.send(Readable.from([]))
  const parts = streamOf(bytes, rest)
  // An answer of HTTP/1.0 ends with its connection: only a reset shows that it is not whole. Proxies speak it.
  if (raw.httpVersion === '1.0') parts.once('error', () => raw.socket.resetAndDestroy())
  return reply.send(parts)
}

/** Ends a handler whose answer is JSON text already; a thread that made it may have hashed it too. */
export const answerText = (reply: FastifyReply, answer: string | LongReadAnswer): void => {
  reply.finished = answer
}

/** Who all see everything are one; so are who have no account. */
const nameOf = ({ sees_all, user_id }: Who): string =>
  sees_all ? 'all' : user_id === null ? 'nobody' : `user ${user_id}`

const whoIs = ({ sees_all, actor }: Viewer): Who => ({ sees_all, user_id: actor.user_id })
