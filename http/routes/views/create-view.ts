import { z } from 'zod'
import { SavedView } from '../../../queries/views.ts'
import { ErrorBody } from '../../errors.ts'
import { newIds } from '../../identity/ids.ts'
import { checkAccount } from '../../identity/own-account.ts'
import type { Route } from '../route.ts'
import { Name, checkedName, Path, checkedPath, Query, checkedQuery, readView } from './view.ts'

export const createViewRoute: Route = (app, { reader, commit, now }) => {
  const mint = newIds()
  app.post(
    '/views',
    {
      config: { scope: 'read', body: 'fields' },
      schema: {
        tags: ['views'],
        operationId: 'createView',
        summary: 'Save a view',
        body: z.strictObject({ name: Name, path: Path, query: Query.nullish(), pinned: z.boolean().nullish() }),
        response: { 201: SavedView, 409: ErrorBody, 422: ErrorBody },
      },
    },
    async ({ viewer, body }, reply) => {
      checkAccount(viewer)
      const view_id = mint()
      await commit.createView(viewer, {
        view_id,
        at: now(),
        name: checkedName(body.name),
        path: checkedPath(body.path),
        query: checkedQuery(body.query ?? ''),
        pinned: body.pinned ?? false,
      })
      return reply.code(201).send(await readView(reader, viewer, view_id))
    },
  )
}
