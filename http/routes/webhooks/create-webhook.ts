import { z } from 'zod'
import { Refused } from '../../../commands/refused.ts'
import { WEBHOOK_EVENTS } from '../../../domain/webhooks/event-types.ts'
import { WEBHOOK_FORMATS } from '../../../domain/webhooks/formats.ts'
import { newWebhookSecret } from '../../../domain/webhooks/signature.ts'
import { MAX_URL_CHARACTERS, urlProblem } from '../../../runtime/webhooks/addresses.ts'
import { mailProblem } from '../../../runtime/webhooks/mail-address.ts'
import { ErrorBody } from '../../errors.ts'
import { newIds } from '../../identity/ids.ts'
import { checkAccount } from '../../identity/own-account.ts'
import { NAME } from '../../requests/shared-parameters.ts'
import type { Route } from '../route.ts'
import { neededTargets, readWebhook, webhookView, WithSecret } from './webhook.ts'

const Name = z.string().meta(NAME)

export const createWebhookRoute: Route = (app, services) => {
  const { commit, config } = services
  const mint = newIds()
  app.post(
    '/webhooks',
    {
      config: { scope: 'write', body: 'fields' },
      schema: {
        tags: ['webhooks'],
        operationId: 'createWebhook',
        summary: 'Create a webhook; the answer has its secret, which is shown once',
        body: z.strictObject({
          url: z.string().meta({
            maxLength: MAX_URL_CHARACTERS,
            description: 'Where messages are sent: an https URL, or `mailto:` and an address for e-mails.',
          }),
          format: z.enum(WEBHOOK_FORMATS).default('standard').meta({
            description:
              'How messages are written: `standard` is Standard Webhooks; `slack`, `teams` and `discord` are for the webhooks of these chats.',
          }),
          events: z.array(z.enum(WEBHOOK_EVENTS)).min(1).max(WEBHOOK_EVENTS.length),
          project: Name.nullish(),
          suite: Name.nullish().meta({ description: 'Allowed only together with `project`.' }),
        }),
        response: { 201: WithSecret, 409: ErrorBody, 422: ErrorBody },
      },
    },
    async ({ viewer, body: { url, format, events, project = null, suite = null } }, reply) => {
      checkAccount(viewer)
      const webhook_id = mint()
      const secret = newWebhookSecret()
      const problem = format === 'email' ? mailProblem(url, config.mail) : urlProblem(url, config.webhookTargets)
      if (problem !== null) throw new Refused('unprocessable', `url: ${problem}`)
      await commit.createWebhook(viewer, {
        webhook_id,
        events: WEBHOOK_EVENTS.filter((event) => events.includes(event)),
        project,
        suite,
        sealed: neededTargets(services).seal(webhook_id, {
          url: new URL(url).href,
          format,
          secret,
          former: null,
        }),
      })
      return reply
        .code(201)
        .header('cache-control', 'no-store')
        .send({ ...webhookView(services, await readWebhook(services.reader, viewer, webhook_id)), secret })
    },
  )
}
