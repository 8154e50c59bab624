import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { z } from 'zod'
import { accountRequired } from '../../commands/key/mint-key.ts'
import { ApiKey, findOwnKey, listOwnKeys } from '../../queries/access/api-keys.ts'
import { SCOPES } from '../../queries/access/viewer.ts'
import type { Viewer } from '../../queries/access/viewer.ts'
import { Label } from '../identity/fields.ts'
import { ErrorBody, notFound } from '../errors.ts'
import { newIds } from '../identity/ids.ts'
import { nameParameter, NoParameters } from '../requests/shared-parameters.ts'
import { hashOfToken, newApiKey, shownPrefixOf } from '../identity/secrets.ts'
import type { Services } from '../services.ts'

const NewKey = z.strictObject({ name: Label.nullish(), scope: z.enum(SCOPES).nullish() })
export const ApiKeys = z.object({ keys: z.array(ApiKey) }).meta({ id: 'ApiKeys' })
/** The only answer that contains the secret. */
const Minted = ApiKey.extend({ key: z.string() }).meta({ id: 'MintedApiKey' })

/** Refuses: forbidden. A static token or an anonymous caller has no account that could own a key. */
const checkAccount = ({ actor }: Viewer): void => {
  if (actor.user_id === null) throw accountRequired()
}

/** The API keys of the caller's own account. */
export const apiKeyRoutes =
  ({ reader, commit }: Services): FastifyPluginAsyncZod =>
  async (app) => {
    const mint = newIds()
    const tags = ['apikeys']
    const querystring = NoParameters

    app.get(
      '/apikeys',
      {
        config: { scope: 'read' },
        schema: {
          tags,
          operationId: 'listApiKeys',
          summary: 'The API keys of the own account',
          querystring,
          response: { 200: ApiKeys },
        },
      },
      async ({ viewer }) => {
        checkAccount(viewer)
        return { keys: await reader.read(listOwnKeys(viewer)) }
      },
    )

    const create = {
      tags,
      operationId: 'createApiKey',
      summary: 'Create an API key; the secret is in this response only',
      querystring,
      body: NewKey,
      response: { 201: Minted, 403: ErrorBody, 409: ErrorBody, 422: ErrorBody },
    }
    app.post(
      '/apikeys',
      { config: { scope: 'read', body: 'fields' }, schema: create },
      async ({ viewer, body: { name = null, scope = null } }, reply) => {
        checkAccount(viewer)
        const key = newApiKey()
        const key_id = mint()
        await commit.mintKey(viewer, {
          key_id,
          name,
          scope,
          prefix: shownPrefixOf(key),
          secret_hash: hashOfToken(key),
        })
        const created = await reader.read(findOwnKey(viewer, key_id))
        if (!created) throw notFound('api key')
        return reply
          .code(201)
          .header('cache-control', 'no-store')
          .send({ ...created, key })
      },
    )

    const revoke = {
      tags,
      operationId: 'revokeApiKey',
      summary: 'Revoke an API key',
      params: z.object({ id: nameParameter }),
      querystring,
      response: { 204: z.null(), 403: ErrorBody, 404: ErrorBody },
    }
    app.delete('/apikeys/:id', { config: { scope: 'read' }, schema: revoke }, async ({ viewer, params }, reply) => {
      await commit.revokeKey(viewer, { key_id: params.id })
      return reply.code(204).send(null)
    })
  }
