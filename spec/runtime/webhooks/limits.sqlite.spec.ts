import { describe, expect, it } from 'vitest'
import { SYSTEM } from '../../../queries/access/viewer.ts'
import { MAX_WAITING } from '../../../runtime/webhooks/make-batch.ts'
import { aDocument } from '../../support/documents/documents.ts'
import { sendingAppOpener, type CreatedWebhook } from '../../support/webhooks/sending-app.ts'

const open = sendingAppOpener()
const SET = { project: 'chat', suite: 'smoke' }
const DAY_MS = 86_400_000

/** Inserts rows of deliveries that need not be sent: `n` counts from 1. */
const fill = (webhook_id: string, count: number, values: string): string => `
  WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${count})
  INSERT INTO webhook_deliveries (delivery_id, webhook_id, seq, event, facts, created_at, state, tries, next_at, last_at, last_status, last_error)
  SELECT 'filler-' || (100000 + n), '${webhook_id}', 1, 'run.ingested', '{}', ${values} FROM numbers`

describe('a webhook', () => {
  it('has a limited number of deliveries that wait: later ones are parked, and shown', async () => {
    const { spec, create, send, receiver, ask, ada } = await open()
    const { id } = await create({ events: ['run.ingested'] })
    await spec.execute(fill(id, MAX_WAITING - 1, "1, 'waiting', 1, 8000000000000000, 1, 500, 'status'"))
    for (const n of [1, 2]) await spec.ingest(aDocument({ run_id: `r${n}`, ...SET }))
    await send()
    expect(receiver.received).toHaveLength(1)
    const { deliveries } = (await ask('GET', `/webhooks/${id}/deliveries?limit=1`, { token: ada.token })).json<{
      deliveries: object[]
    }>()
    expect(
      await spec.rows(
        "SELECT state, last_error FROM webhook_deliveries WHERE delivery_id NOT LIKE 'filler%' ORDER BY delivery_id",
      ),
    ).toEqual([
      { state: 'delivered', last_error: null },
      { state: 'parked', last_error: 'too_many_waiting' },
    ])
    expect(deliveries).toHaveLength(1)
  })

  it('keeps its newest thousand ended deliveries, for thirty days', async () => {
    const { spec, create, now } = await open()
    const { id } = await create({ events: ['run.ingested'] })
    const other = await create({ events: ['run.ingested'] })
    await spec.execute(fill(id, 1005, `${now()}, 'delivered', 1, NULL, 1, 204, NULL`))
    await spec.execute(
      fill(other.id, 3, `${now() - 31 * DAY_MS}, 'waiting', 1, 8000000000000000, 1, 500, 'status'`).replace(
        "'filler-'",
        "'old-waiting-'",
      ),
    )
    await spec.execute(
      fill(other.id, 3, `${now() - 31 * DAY_MS}, 'parked', 8, NULL, 1, 500, 'status'`).replace(
        "'filler-'",
        "'old-ended-'",
      ),
    )
    await spec.service.commit.pruneDeliveries(SYSTEM, { at: now() })
    expect(
      await spec.rows(
        'SELECT webhook_id, count(*) AS n, min(delivery_id) AS first FROM webhook_deliveries GROUP BY webhook_id ORDER BY webhook_id',
      ),
    ).toEqual([
      { webhook_id: id, n: 1000, first: 'filler-100006' },
      { webhook_id: other.id, n: 3, first: 'old-waiting-100001' },
    ])
  })

  it('signs with two secrets for a day after one was replaced, then with the new one alone', async () => {
    const { spec, create, send, receiver, ask, ada, wait } = await open()
    const first = await create({ events: ['run.ingested'] })
    const answer = await ask('POST', `/webhooks/${first.id}/secret`, { token: ada.token })
    expect([answer.statusCode, answer.headers['cache-control']]).toEqual([200, 'no-store'])
    const second = answer.json<CreatedWebhook>()
    expect(second.secret).not.toBe(first.secret)
    expect(second.former_secret_until).not.toBeNull()
    const signaturesOf = (n: number): number =>
      String(receiver.received[n]?.headers['webhook-signature']).split(' ').length
    await spec.ingest(aDocument({ run_id: 'r1', ...SET }))
    await send()
    expect(signaturesOf(0)).toBe(2)
    for (const { secret } of [first, second]) receiver.verify(receiver.received[0]!, secret)
    wait(DAY_MS - 1)
    await spec.ingest(aDocument({ run_id: 'r2', ...SET }))
    await send()
    wait(1)
    await spec.ingest(aDocument({ run_id: 'r3', ...SET }))
    await send()
    expect([signaturesOf(1), signaturesOf(2)]).toEqual([2, 1])
    const { webhooks } = (await ask('GET', '/webhooks', { token: ada.token })).json<{ webhooks: object[] }>()
    expect(webhooks).toMatchObject([{ id: first.id, former_secret_until: null }])
  })
})
