import { z } from 'zod'
import { listOwnViews, listSharedViews, SavedView, SharedView } from '../../../queries/views.ts'
import { checkAccount } from '../../identity/own-account.ts'
import type { Route } from '../route.ts'

const Views = z.object({ views: z.array(SavedView), shared: z.array(SharedView) }).meta({ id: 'SavedViews' })

export const listViewsRoute: Route = (app, { reader }) =>
  app.get(
    '/views',
    {
      config: { scope: 'read' },
      schema: {
        tags: ['views'],
        operationId: 'listViews',
        summary: 'Your saved views, and those that others shared and whose sets you may see',
        querystring: z.strictObject({
          format: z.enum(['json']).optional().meta({ description: 'Offers the answer as a file to download.' }),
        }),
        response: { 200: Views },
      },
    },
    async ({ viewer, query: { format } }, reply) => {
      checkAccount(viewer)
      if (format) void reply.header('content-disposition', 'attachment; filename="saved-views.json"')
      return { views: await reader.read(listOwnViews(viewer)), shared: await listSharedViews(reader, viewer) }
    },
  )
