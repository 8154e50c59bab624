import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { Refused } from '../../../commands/refused.ts'
import { AccountKeys } from '../../../queries/access/all-keys.ts'
import { abortWhenClientLeaves } from '../../answers/client-left.ts'
import { ErrorBody, LONG_READ } from '../../errors.ts'
import { checkSeesAll } from '../../identity/sees-all.ts'
import { AllKeysQuery } from '../../requests/shared-parameters.ts'
import type { Services } from '../../services.ts'

/** Lists the API keys of all accounts. */
export const allKeyRoutes =
  ({ longReads }: Services): FastifyPluginAsyncZod =>
  async (app) => {
    const schema = {
      tags: ['users'],
      operationId: 'listAllApiKeys',
      summary: 'The API keys of all accounts',
      querystring: AllKeysQuery,
      response: { 200: AccountKeys, 400: ErrorBody, 403: ErrorBody, ...LONG_READ },
    }
    app.get('/users/apikeys', { config: { scope: 'admin' }, schema }, async ({ viewer, query }, reply) => {
      checkSeesAll(viewer)
      const { sort, order, limit, cursor, ...filters } = query
      const asked = { filters, order: { sort, order }, limit, cursor }
      const answer = await longReads.allKeys(viewer, asked, abortWhenClientLeaves(reply))
      // The account lost its role while the read was queued.
      if (!answer) throw new Refused('forbidden', 'insufficient scope: this read is for admins')
      return JSON.parse(Buffer.from(answer.body).toString()) as AccountKeys
    })
  }
