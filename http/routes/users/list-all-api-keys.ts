import { z } from 'zod'
import { Refused } from '../../../commands/refused.ts'
import { EPOCH_MS } from '../../../domain/instants.ts'
import { AccountKeys, KEY_SORTS, KEY_STATE_FILTERS } from '../../../queries/access/all-keys.ts'
import { SCOPES } from '../../../queries/access/viewer.ts'
import { abortWhenClientLeaves } from '../../answers/client-left.ts'
import { LONG_READ } from '../../errors.ts'
import { checkSeesAll } from '../../identity/sees-all.ts'
import { freeText, instant, MAX_FREE_TEXT, optionalText, paged, sorted } from '../../requests/shared-parameters.ts'
import type { Route } from '../route.ts'

/** Filters and order of the keys of all accounts. */
const AllKeysQuery = z.strictObject({
  q: freeText.meta({
    maxLength: MAX_FREE_TEXT,
    description:
      "A part of the key's name or prefix, or of the account's name. The case of ASCII letters does not matter.",
  }),
  user_id: optionalText,
  scope: z.enum(SCOPES).optional().meta({ description: 'Only keys of this scope.' }),
  state: z.enum(KEY_STATE_FILTERS).optional().meta({ description: 'Only keys in this state.' }),
  unused_since: instant.meta({
    description: 'Only keys that were neither created nor used since then. Epoch milliseconds or RFC 3339, exclusive.',
    anyOf: [
      { type: 'string', pattern: EPOCH_MS.source },
      { type: 'string', format: 'date-time' },
    ],
  }),
  ...sorted(KEY_SORTS, 'desc'),
  ...paged(50, 200),
})

export const listAllApiKeysRoute: Route = (app, { longReads, now }) =>
  app.get(
    '/users/apikeys',
    {
      config: { scope: 'admin' },
      schema: {
        tags: ['users'],
        operationId: 'listAllApiKeys',
        summary: 'The API keys of all accounts',
        querystring: AllKeysQuery,
        response: { 200: AccountKeys, ...LONG_READ },
      },
    },
    async ({ viewer, query }, reply) => {
      checkSeesAll(viewer)
      const { sort, order, limit, cursor, ...filters } = query
      const asked = { filters: { ...filters, at: now() }, order: { sort, order }, limit, cursor }
      const answer = await longReads.allKeys(viewer, asked, abortWhenClientLeaves(reply))
      // The account lost its role while the read was queued.
      if (!answer) throw new Refused('forbidden', 'insufficient scope: this read is for admins')
      return JSON.parse(Buffer.from(answer.body).toString()) as AccountKeys
    },
  )
