import { statement } from '../storage/sql.ts'
import { projection } from './projection.ts'

/** Webhooks of accounts. Their URLs and secrets, and what they sent, are in tables of the commands. */
export const webhooks = projection(
  { name: 'webhooks', version: 1, tables: ['webhooks'] },
  {
    WebhookCreated: ({ seq, recorded_at, data: { webhook_id, user_id, project, suite, events } }) => [
      statement`
        INSERT INTO webhooks (webhook_id, user_id, project, suite, events, created_at, created_seq, secret_changed_at, disabled_at, disabled_cause)
        VALUES (${webhook_id}, ${user_id}, ${project}, ${suite}, ${JSON.stringify(events)}, ${recorded_at}, ${seq}, ${recorded_at}, NULL, NULL)`,
    ],
    WebhookSecretReplaced: ({ recorded_at, data: { webhook_id } }) => [
      statement`UPDATE webhooks SET secret_changed_at = ${recorded_at} WHERE webhook_id = ${webhook_id}`,
    ],
    WebhookDisabled: ({ recorded_at, data: { webhook_id, cause } }) => [
      statement`UPDATE webhooks SET disabled_at = ${recorded_at}, disabled_cause = ${cause} WHERE webhook_id = ${webhook_id}`,
    ],
    WebhookDeleted: ({ data: { webhook_id } }) => [statement`DELETE FROM webhooks WHERE webhook_id = ${webhook_id}`],
  },
)
