import { describe, expect, it } from 'vitest'
import { MAX_WEBHOOKS } from '../../../../queries/webhooks/webhooks.ts'
import { TOKENS } from '../../../support/servers/app.ts'
import { appOpenerWithAccounts } from '../../../support/servers/opening-apps.ts'
import { SECRET_KEY, type CreatedWebhook } from '../../../support/webhooks/sending-app.ts'

const open = appOpenerWithAccounts()
const secretKey = SECRET_KEY
const hook = { url: 'https://hooks.example/services/T0/canary', events: ['run.regressed', 'run.ingested'] }
const NOT_FOUND = '{"error":"webhook not found"}'

describe('a webhook', () => {
  it('is created, listed and deleted by its owner; its secret is shown once', async () => {
    const { spec, ask, root } = await open({ secretKey, now: () => Date.UTC(2026, 4, 4, 9) })
    const { token } = root
    const answer = await ask('POST', '/webhooks', { token, body: { ...hook, project: 'chat', suite: 'smoke' } })
    expect([answer.statusCode, answer.headers['cache-control']]).toEqual([201, 'no-store'])
    const { secret, ...created } = answer.json<CreatedWebhook>()
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{32}$/)
    expect(created).toEqual({
      id: expect.stringMatching(/^[0-9A-Z]{26}$/) as string,
      url: hook.url,
      format: 'standard',
      // In the order of the list of events.
      events: ['run.ingested', 'run.regressed'],
      project: 'chat',
      suite: 'smoke',
      created_at: '2026-05-04T09:00:00+00:00',
      secret_changed_at: '2026-05-04T09:00:00+00:00',
      former_secret_until: null,
      disabled_at: null,
      disabled_cause: null,
    })
    expect((await ask('GET', '/webhooks', { token })).json()).toEqual({ webhooks: [created] })
    const replaced = (await ask('POST', `/webhooks/${created.id}/secret`, { token })).json<CreatedWebhook>()
    expect(replaced).toMatchObject({ id: created.id, former_secret_until: '2026-05-05T09:00:00+00:00' })
    expect(replaced.secret).not.toBe(secret)
    expect((await ask('DELETE', `/webhooks/${created.id}`, { token })).statusCode).toBe(204)
    expect((await ask('GET', '/webhooks', { token })).json()).toEqual({ webhooks: [] })
    // The log has its history, and neither its URL nor its secret.
    const bodies = await spec.column(
      `SELECT body FROM event_bodies WHERE stream = 'webhook/${created.id}' ORDER BY version`,
    )
    expect(bodies.map((body) => (JSON.parse(String(body)) as { data: object }).data)).toMatchObject([
      { events: ['run.ingested', 'run.regressed'], project: 'chat', suite: 'smoke', user_id: root.id },
      { credential_sha256: expect.stringMatching(/^[0-9a-f]{64}$/) as string },
      { cause: 'request', user_id: root.id, webhook_id: created.id },
    ])
    expect(JSON.stringify(bodies)).not.toContain('canary')
    expect(await spec.column('SELECT count(*) FROM webhook_targets')).toEqual([0])
  })

  it('is unknown to other accounts; an admin may delete it', async () => {
    const { ask, root, person } = await open({ secretKey })
    const [ada, bea] = [await person('ada', 'member'), await person('bea', 'member')]
    const { id } = (await ask('POST', '/webhooks', { token: ada.token, body: hook })).json<CreatedWebhook>()
    for (const { token } of [bea, root]) {
      expect((await ask('GET', '/webhooks', { token })).json()).toEqual({ webhooks: [] })
      for (const [method, path] of [
        ['GET', 'deliveries'],
        ['POST', 'test'],
        ['POST', 'secret'],
      ] as const)
        for (const webhook of [id, 'nothing']) {
          const answer = await ask(method, `/webhooks/${webhook}/${path}`, { token })
          expect([answer.statusCode, answer.body], path).toEqual([404, NOT_FOUND])
        }
    }
    for (const webhook of [id, 'nothing']) {
      const answer = await ask('DELETE', `/webhooks/${webhook}`, { token: bea.token })
      expect([answer.statusCode, answer.body]).toEqual([404, NOT_FOUND])
    }
    expect((await ask('DELETE', `/webhooks/${id}`, { token: root.token })).statusCode).toBe(204)
    expect((await ask('GET', '/webhooks', { token: ada.token })).json()).toEqual({ webhooks: [] })
  })

  it('needs an account, the write scope, and the key of the server', async () => {
    const { ask, person } = await open({ secretKey })
    const viewer = await person('vic', 'viewer')
    expect((await ask('POST', '/webhooks', { token: viewer.token, body: hook })).statusCode).toBe(403)
    const token = await ask('POST', '/webhooks', { token: TOKENS.admin, body: hook })
    expect([token.statusCode, token.body]).toEqual([403, '{"error":"a user account is required"}'])
    const without = await open()
    const refused = await without.ask('POST', '/webhooks', { token: without.root.token, body: hook })
    expect([refused.statusCode, refused.body]).toEqual([
      409,
      '{"error":"webhooks need SERVICE_SECRET_KEY: the operator of this server has not set it"}',
    ])
    expect((await without.ask('GET', '/webhooks', { token: without.root.token })).json()).toEqual({ webhooks: [] })
  })

  it.each([
    [
      { ...hook, url: 'http://hooks.example/' },
      'url: must be an https URL: http is only for hosts that SERVICE_WEBHOOK_ALLOW names',
    ],
    [
      { ...hook, url: 'https://169.254.169.254/' },
      'url: must not be an address of a private network, unless SERVICE_WEBHOOK_ALLOW names it',
    ],
    [{ ...hook, url: 'https://me:pass@hooks.example/' }, 'url: must contain no user name and no password'],
    [{ ...hook, suite: 'smoke' }, 'suite: give its project too'],
    [{ ...hook, project: 'a'.repeat(401) }, 'project: must be a name that a run can have'],
    [{ ...hook, project: 'p', suite: '\u0000' }, 'suite: must be a name that a run can have'],
    [{ ...hook, events: [] }, 'events'],
    [{ ...hook, events: ['webhook.test'] }, 'events'],
    [{ ...hook, events: ['run.ingested', 'everything'] }, 'events'],
    [{ ...hook, secret: 'mine' }, 'secret'],
    [{ events: hook.events }, 'url'],
  ])('is refused: %o', async (body, error) => {
    const { ask, root } = await open({ secretKey })
    const answer = await ask('POST', '/webhooks', { token: root.token, body })
    expect([answer.statusCode, answer.json<{ error: string }>().error]).toEqual([
      422,
      expect.stringContaining(error) as string,
    ])
  })

  it('is one of at most twenty of an account', async () => {
    const { ask, root, person } = await open({ secretKey })
    const statuses: number[] = []
    for (let n = 0; n <= MAX_WEBHOOKS; n++)
      statuses.push((await ask('POST', '/webhooks', { token: root.token, body: hook })).statusCode)
    expect(statuses).toEqual([...Array.from({ length: MAX_WEBHOOKS }, () => 201), 409])
    const ada = await person('ada', 'member')
    expect((await ask('POST', '/webhooks', { token: ada.token, body: hook })).statusCode).toBe(201)
  })

  it('shows a member only that its address was refused, and an admin why', async () => {
    const { spec, ask, root, person } = await open({ secretKey })
    const errors = ['address_refused', 'name_not_resolved', 'connection', 'tls', 'timeout']
    const shownTo = async (token: string, n: number): Promise<unknown> => {
      const { id } = (await ask('POST', '/webhooks', { token, body: hook })).json<CreatedWebhook>()
      for (const [i, error] of errors.entries())
        await spec.execute(`
          INSERT INTO webhook_deliveries (delivery_id, webhook_id, seq, event, facts, created_at, state, tries, next_at, last_at, last_status, last_error)
          VALUES ('01J000000000000000000000${n}${9 - i}', '${id}', 1, 'run.ingested', '{}', 1, 'parked', 1, NULL, 2, NULL, '${error}')`)
      const { deliveries } = (await ask('GET', `/webhooks/${id}/deliveries`, { token })).json<{
        deliveries: Array<{ last_error: string }>
      }>()
      return deliveries.map(({ last_error }) => last_error)
    }
    expect(await shownTo((await person('ada', 'member')).token, 1)).toEqual(['refused', 'refused', ...errors.slice(2)])
    expect(await shownTo(root.token, 2)).toEqual(errors)
  })

  it('lists its deliveries in pages, newest first', async () => {
    const { spec, ask, root } = await open({ secretKey })
    const { id } = (await ask('POST', '/webhooks', { token: root.token, body: hook })).json<CreatedWebhook>()
    for (const n of [1, 2, 3])
      await spec.execute(`
        INSERT INTO webhook_deliveries (delivery_id, webhook_id, seq, event, facts, created_at, state, tries, next_at, last_at, last_status, last_error)
        VALUES ('01J0000000000000000000000${n}', '${id}', 1, 'run.ingested', '{}', 1, 'delivered', 1, NULL, 2, 204, NULL)`)
    const page = async (query: string) =>
      (await ask('GET', `/webhooks/${id}/deliveries?${query}`, { token: root.token })).json<{
        deliveries: Array<{ id: string }>
        next_cursor: string | null
      }>()
    const first = await page('limit=2')
    expect(first.deliveries.map((delivery) => delivery.id.at(-1))).toEqual(['3', '2'])
    expect(first.deliveries[0]).toEqual({
      id: 'msg_01J00000000000000000000003',
      event: 'run.ingested',
      created_at: '1970-01-01T00:00:00.001+00:00',
      state: 'delivered',
      tries: 1,
      next_try_at: null,
      last_try_at: '1970-01-01T00:00:00.002+00:00',
      last_status: 204,
      last_error: null,
    })
    const second = await page(`limit=2&cursor=${first.next_cursor}`)
    expect([second.deliveries.map((delivery) => delivery.id.at(-1)), second.next_cursor]).toEqual([['1'], null])
  })
})
