import { z } from 'zod'
import { AccountLink, listLinks } from '../../../queries/access/account-links.ts'
import { checkSeesAll } from '../../identity/sees-all.ts'
import type { Route } from '../route.ts'

const Links = z.object({ links: z.array(AccountLink) }).meta({ id: 'AccountLinks' })

export const listAccountLinksRoute: Route = (app, { reader, now }) =>
  app.get(
    '/links',
    {
      config: { scope: 'admin' },
      schema: {
        tags: ['users'],
        operationId: 'listAccountLinks',
        summary: 'Invites and password reset links that were neither used nor revoked, without their secrets',
        response: { 200: Links },
      },
    },
    async ({ viewer }) => {
      checkSeesAll(viewer)
      return { links: await reader.read(listLinks(viewer, now())) }
    },
  )
