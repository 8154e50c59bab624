import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { z } from 'zod'
import { accountRequired } from '../../../commands/key/mint-key.ts'
import { Refused } from '../../../commands/refused.ts'
import { findOwnView, listOwnViews, SavedView } from '../../../queries/views.ts'
import type { Viewer } from '../../../queries/access/viewer.ts'
import { ErrorBody, notFound } from '../../errors.ts'
import { newIds } from '../../identity/ids.ts'
import { nameParameter, NoParameters } from '../../requests/shared-parameters.ts'
import type { Services } from '../../services.ts'

const MAX_NAME_CHARACTERS = 100
const MAX_PATH_CHARACTERS = 2_000
const MAX_QUERY_CHARACTERS = 4_000

/** Browsers remove some control characters from an address, and so open another page than the one that is shown. */
const CONTROL = String.raw`\u0000-\u001f\u007f-\u009f`
const CONTROLS = new RegExp(`[${CONTROL}]`)
const hasControl = (text: string): boolean => CONTROLS.test(text)
/** A part of a path that browsers resolve, also an escaped one. */
const hasDotSegment = (path: string): boolean => path.split('/').some((part) => /^(?:\.|%2e){1,2}$/i.test(part))

const Text = z
  .string()
  .refine((text) => text.isWellFormed() && !hasControl(text), 'must be well-formed text without control characters')
const Name = Text.meta({ pattern: `^[^${CONTROL}]*$`, minLength: 1, maxLength: MAX_NAME_CHARACTERS })
const Path = Text.refine((path) => !hasDotSegment(path), 'must not have the part "." or ".."').meta({
  maxLength: MAX_PATH_CHARACTERS,
  pattern: String.raw`^/(?!/)(?!(?:.*/)?(?:\.|%2[eE]){1,2}(?:/|$))[^?#\\${CONTROL}]*$`,
  description: 'The path of a page of the web app, without the parts `.` and `..`.',
})
const Query = Text.meta({
  maxLength: MAX_QUERY_CHARACTERS,
  pattern: `^(?!\\?)[^#${CONTROL}]*$`,
  description: 'The query of the page, without a question mark.',
})
/** Beyond these numbers there is none between two neighbours, so no other view could be moved there. */
const Position = z
  .number()
  .refine((position) => Math.abs(position) <= Number.MAX_SAFE_INTEGER, 'must be within ±(2^53 - 1)')
  .meta({ minimum: -Number.MAX_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER })

const NewView = z.strictObject({ name: Name, path: Path, query: Query.nullish(), pinned: z.boolean().nullish() })
const Change = z.strictObject({
  name: Name.nullish(),
  path: Path.nullish(),
  query: Query.nullish(),
  pinned: z.boolean().nullish(),
  position: Position.nullish(),
})
const Views = z.object({ views: z.array(SavedView) }).meta({ id: 'SavedViews' })
const ViewPath = z.object({ id: nameParameter })

const checkLength = (field: string, text: string, max: number): void => {
  if ([...text].length > max) throw new Refused('bad_request', `${field} must have at most ${max} characters`)
}

/** Refuses: bad_request (empty, too long). */
const nameOf = (text: string): string => {
  const name = text.trim()
  if (name === '') throw new Refused('bad_request', 'name must not be empty')
  checkLength('name', name, MAX_NAME_CHARACTERS)
  return name
}

/** Browsers read `//host` and `/\host` as addresses of other sites. Refuses: bad_request (no path of a page, too long). */
const pathOf = (path: string): string => {
  if (!/^\/(?![/\\])[^?#\\]*$/.test(path))
    throw new Refused('bad_request', 'path must be the path of a page: it starts with one slash, and has no query')
  checkLength('path', path, MAX_PATH_CHARACTERS)
  return path
}

/** Refuses: bad_request (no query, too long). */
const queryOf = (query: string): string => {
  if (query.startsWith('?') || query.includes('#'))
    throw new Refused('bad_request', 'query must be the text after the question mark of an address')
  checkLength('query', query, MAX_QUERY_CHARACTERS)
  return query
}

const checkAccount = ({ actor }: Viewer): void => {
  if (actor.user_id === null) throw accountRequired()
}

/**
 * Saves, lists, changes and deletes views of the web app, each visible to its owner alone. The function is long because
 * it lists every route.
 */
export const viewRoutes =
  ({ reader, commit, now }: Services): FastifyPluginAsyncZod =>
  async (app) => {
    const mint = newIds()
    const tags = ['views']
    const querystring = NoParameters
    const config = { scope: 'read' } as const
    const errors = { 400: ErrorBody, 403: ErrorBody }

    const find = async (viewer: Viewer, id: string): Promise<SavedView> => {
      const view = await reader.read(findOwnView(viewer, id))
      if (!view) throw notFound('saved view')
      return view
    }

    const list = {
      tags,
      operationId: 'listViews',
      summary: 'The own saved views',
      querystring: z.strictObject({
        format: z.enum(['json']).optional().meta({ description: 'Offers the answer as a file to download.' }),
      }),
      response: { 200: Views, ...errors },
    }
    app.get('/views', { config, schema: list }, async ({ viewer, query: { format } }, reply) => {
      checkAccount(viewer)
      if (format) void reply.header('content-disposition', 'attachment; filename="saved-views.json"')
      return { views: await reader.read(listOwnViews(viewer)) }
    })

    const create = {
      tags,
      operationId: 'createView',
      summary: 'Save a view',
      querystring,
      body: NewView,
      response: { 201: SavedView, ...errors, 409: ErrorBody, 422: ErrorBody },
    }
    app.post('/views', { config: { ...config, body: 'fields' }, schema: create }, async ({ viewer, body }, reply) => {
      checkAccount(viewer)
      const view_id = mint()
      await commit.createView(viewer, {
        view_id,
        at: now(),
        name: nameOf(body.name),
        path: pathOf(body.path),
        query: queryOf(body.query ?? ''),
        pinned: body.pinned ?? false,
      })
      return reply.code(201).send(await find(viewer, view_id))
    })

    const change = {
      tags,
      operationId: 'changeView',
      summary: 'Change a saved view; `position` moves it in the list',
      params: ViewPath,
      querystring,
      body: Change,
      response: { 200: SavedView, ...errors, 404: ErrorBody, 422: ErrorBody },
    }
    app.patch(
      '/views/:id',
      { config: { ...config, body: 'fields' }, schema: change },
      async ({ viewer, params: { id }, body: { name, path, query, pinned = null, position = null } }) => {
        checkAccount(viewer)
        await commit.changeView(viewer, {
          view_id: id,
          at: now(),
          name: typeof name === 'string' ? nameOf(name) : null,
          path: typeof path === 'string' ? pathOf(path) : null,
          query: typeof query === 'string' ? queryOf(query) : null,
          pinned,
          position,
        })
        return find(viewer, id)
      },
    )

    const remove = {
      tags,
      operationId: 'deleteView',
      summary: 'Delete a saved view',
      params: ViewPath,
      querystring,
      response: { 204: z.null(), 403: ErrorBody, 404: ErrorBody },
    }
    app.delete('/views/:id', { config, schema: remove }, async ({ viewer, params: { id } }, reply) => {
      await commit.deleteView(viewer, { view_id: id })
      return reply.code(204).send(null)
    })
  }
