import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { z } from 'zod'
import { accountRequired } from '../../../commands/key/mint-key.ts'
import { Refused } from '../../../commands/refused.ts'
import { MAX_URL_CHARACTERS, urlProblem } from '../../../runtime/webhooks/addresses.ts'
import { WEBHOOK_EVENTS } from '../../../domain/webhooks/event-types.ts'
import { newWebhookSecret } from '../../../domain/webhooks/signature.ts'
import { rfc3339 } from '../../../domain/wire.ts'
import type { Viewer } from '../../../queries/access/viewer.ts'
import { DeliveryList, listDeliveries, messageIdOf } from '../../../queries/webhooks/deliveries.ts'
import { findOwnWebhook, listOwnWebhooks, WebhookView } from '../../../queries/webhooks/webhooks.ts'
import type { StoredWebhook } from '../../../queries/webhooks/webhooks.ts'
import { sealedTargets, UnreadableTarget } from '../../../runtime/webhooks/targets.ts'
import type { SealedTargets, Target } from '../../../runtime/webhooks/targets.ts'
import { ErrorBody, notFound } from '../../errors.ts'
import { newIds } from '../../identity/ids.ts'
import { cursor, limit, NAME, nameParameter, NoParameters } from '../../requests/shared-parameters.ts'
import type { Services } from '../../services.ts'

/** How long the former secret signs too, after a new one was made. */
const BOTH_VALID_MS = 24 * 3_600_000

const Name = z.string().meta(NAME)
const NewWebhook = z.strictObject({
  url: z.string().meta({ maxLength: MAX_URL_CHARACTERS, description: 'Where messages are sent: an https URL.' }),
  events: z.array(z.enum(WEBHOOK_EVENTS)).min(1).max(WEBHOOK_EVENTS.length),
  project: Name.nullish(),
  suite: Name.nullish().meta({ description: 'Only with its project.' }),
})
const Webhooks = z.object({ webhooks: z.array(WebhookView) }).meta({ id: 'Webhooks' })
/** The only answers that contain a secret. */
const WithSecret = WebhookView.extend({ secret: z.string() }).meta({ id: 'WebhookWithSecret' })
const Test = z.object({ id: z.string().meta({ description: 'The id of the delivery.' }) }).meta({ id: 'WebhookTest' })

/** Refuses: forbidden. A static token or an anonymous caller has no account that could own a webhook. */
const checkAccount = ({ actor }: Viewer): void => {
  if (actor.user_id === null) throw accountRequired()
}

/**
 * The webhooks of the caller's own account. The function is long because it lists every route.
 */
export const webhookRoutes =
  ({ reader, commit, config, now }: Services): FastifyPluginAsyncZod =>
  async (app) => {
    const mint = newIds()
    const tags = ['webhooks']
    const querystring = NoParameters
    const params = z.object({ id: nameParameter })
    const read = { scope: 'read' } as const
    const write = { scope: 'write' } as const
    const own = config.secretKey && sealedTargets(config.secretKey)

    /** Refuses: conflict (the server has no key for secrets). */
    const targets = (): SealedTargets => {
      if (!own)
        throw new Refused('conflict', 'webhooks need SERVICE_SECRET_KEY: the operator of this server has not set it')
      return own
    }

    /** The target of a webhook; null if it cannot be decrypted. */
    const targetOf = ({ webhook_id, sealed }: StoredWebhook): Target | null => {
      try {
        return targets().open(webhook_id, sealed)
      } catch (error) {
        if (error instanceof UnreadableTarget) return null
        throw error
      }
    }

    const viewOf = (webhook: StoredWebhook): WebhookView => {
      const target = targetOf(webhook)
      const until = target?.former?.until ?? 0
      return {
        ...webhook.view,
        url: target && target.url,
        former_secret_until: until > now() ? rfc3339(until) : null,
      }
    }

    const find = async (viewer: Viewer, id: string): Promise<StoredWebhook> => {
      const webhook = await reader.read(findOwnWebhook(viewer, id))
      if (!webhook) throw notFound('webhook')
      return webhook
    }

    const list = {
      tags,
      operationId: 'listWebhooks',
      summary: 'The own webhooks',
      querystring,
      response: { 200: Webhooks, 403: ErrorBody },
    }
    app.get('/webhooks', { config: read, schema: list }, async ({ viewer }) => {
      checkAccount(viewer)
      return { webhooks: (await reader.read(listOwnWebhooks(viewer))).map(viewOf) }
    })

    const create = {
      tags,
      operationId: 'createWebhook',
      summary: 'Create a webhook; the answer has its secret, which is shown once',
      querystring,
      body: NewWebhook,
      response: { 201: WithSecret, 403: ErrorBody, 409: ErrorBody, 422: ErrorBody },
    }
    app.post(
      '/webhooks',
      { config: { ...write, body: 'fields' }, schema: create },
      async ({ viewer, body: { url, events, project = null, suite = null } }, reply) => {
        checkAccount(viewer)
        const webhook_id = mint()
        const secret = newWebhookSecret()
        const problem = urlProblem(url, config.webhookTargets)
        if (problem !== null) throw new Refused('unprocessable', `url: ${problem}`)
        await commit.createWebhook(viewer, {
          webhook_id,
          events: WEBHOOK_EVENTS.filter((event) => events.includes(event)),
          project,
          suite,
          sealed: targets().seal(webhook_id, { url: new URL(url).href, secret, former: null }),
        })
        return reply
          .code(201)
          .header('cache-control', 'no-store')
          .send({ ...viewOf(await find(viewer, webhook_id)), secret })
      },
    )

    const remove = {
      tags,
      operationId: 'deleteWebhook',
      summary: 'Delete a webhook',
      params,
      querystring,
      response: { 204: z.null(), 403: ErrorBody, 404: ErrorBody },
    }
    app.delete('/webhooks/:id', { config: write, schema: remove }, async ({ viewer, params: { id } }, reply) => {
      await commit.deleteWebhook(viewer, { webhook_id: id })
      return reply.code(204).send(null)
    })

    const replace = {
      tags,
      operationId: 'rotateWebhookSecret',
      summary: 'Replace the secret; the former one signs too for a day',
      params,
      querystring,
      response: { 200: WithSecret, 403: ErrorBody, 404: ErrorBody, 409: ErrorBody },
    }
    app.post('/webhooks/:id/secret', { config: write, schema: replace }, async ({ viewer, params: { id } }, reply) => {
      checkAccount(viewer)
      const webhook = await find(viewer, id)
      const target = targetOf(webhook)
      if (!target) throw new Refused('conflict', 'the webhook cannot be decrypted: delete it and create a new one')
      const { url, secret: former } = target
      const secret = newWebhookSecret()
      await commit.replaceWebhookSecret(viewer, {
        webhook_id: id,
        former: webhook.sealed,
        sealed: targets().seal(id, { url, secret, former: { secret: former, until: now() + BOTH_VALID_MS } }),
      })
      void reply.header('cache-control', 'no-store')
      return { ...viewOf(await find(viewer, id)), secret }
    })

    const test = {
      tags,
      operationId: 'testWebhook',
      summary: 'Send a message of type webhook.test, once',
      params,
      querystring,
      response: { 202: Test, 403: ErrorBody, 404: ErrorBody, 409: ErrorBody },
    }
    app.post('/webhooks/:id/test', { config: write, schema: test }, async ({ viewer, params: { id } }, reply) => {
      const delivery_id = mint()
      await commit.testWebhook(viewer, { webhook_id: id, delivery_id, at: now() })
      return reply.code(202).send({ id: messageIdOf(delivery_id) })
    })

    const deliveries = {
      tags,
      operationId: 'listWebhookDeliveries',
      summary: 'What a webhook sent, and what is waiting, newest first',
      params,
      querystring: z.strictObject({ limit: limit(50, 200), cursor }),
      response: { 200: DeliveryList, 400: ErrorBody, 403: ErrorBody, 404: ErrorBody },
    }
    app.get(
      '/webhooks/:id/deliveries',
      { config: read, schema: deliveries },
      async ({ viewer, params: { id }, query: { limit: rows, cursor: from } }) => {
        const { webhook_id } = await find(viewer, id)
        return listDeliveries(reader, viewer, webhook_id, { limit: rows, cursor: from })
      },
    )
  }
