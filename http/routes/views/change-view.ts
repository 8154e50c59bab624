import { z } from 'zod'
import { SavedView } from '../../../queries/views.ts'
import { ErrorBody } from '../../errors.ts'
import { checkAccount } from '../../identity/own-account.ts'
import { IdPath } from '../../requests/shared-parameters.ts'
import type { Route } from '../route.ts'
import { Name, checkedName, Path, checkedPath, Query, checkedQuery, readView } from './view.ts'

/** Beyond these numbers there is none between two neighbours, so no other view could be moved there. */
const Position = z
  .number()
  .refine((position) => Math.abs(position) <= Number.MAX_SAFE_INTEGER, 'must be within ±(2^53 - 1)')
  .meta({ minimum: -Number.MAX_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER })

const Change = z.strictObject({
  name: Name.nullish(),
  path: Path.nullish(),
  query: Query.nullish(),
  pinned: z.boolean().nullish(),
  position: Position.nullish(),
  shared: z.boolean().nullish().meta({ description: 'Whether everyone who sees its sets finds it.' }),
})

export const changeViewRoute: Route = (app, { reader, commit, now }) =>
  app.patch(
    '/views/:id',
    {
      config: { scope: 'read', body: 'fields' },
      schema: {
        tags: ['views'],
        operationId: 'changeView',
        summary: 'Change a saved view; `position` moves it in the list',
        params: IdPath,
        body: Change,
        response: { 200: SavedView, 404: ErrorBody, 422: ErrorBody },
      },
    },
    async ({ viewer, params: { id }, body: { name, path, query, pinned = null, position = null, shared = null } }) => {
      checkAccount(viewer)
      await commit.changeView(viewer, {
        view_id: id,
        at: now(),
        name: typeof name === 'string' ? checkedName(name) : null,
        path: typeof path === 'string' ? checkedPath(path) : null,
        query: typeof query === 'string' ? checkedQuery(query) : null,
        pinned,
        position,
        shared,
      })
      return readView(reader, viewer, id)
    },
  )
