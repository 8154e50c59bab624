import type { AddressInfo } from 'node:net'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'
import { afterEach, describe, expect, it } from 'vitest'
import type { MailConfig } from '../../../runtime/webhooks/mail-address.ts'
import { sendMail } from '../../../runtime/webhooks/send-mail.ts'
import { NO_TARGETS } from '../../../runtime/webhooks/addresses.ts'
import { aDocument } from '../../support/documents/documents.ts'
import { sendingAppOpener } from '../../support/webhooks/sending-app.ts'

const open = sendingAppOpener()
const SET = { project: 'chat', suite: 'smoke' }
const EVENTS = ['run.ingested']

const closing: Array<() => Promise<unknown>> = []
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
})

type Mail = { readonly from: string; readonly to: readonly string[]; readonly text: string }

/** A mail server on the loopback interface, without TLS unless `options` say otherwise. */
const openMailServer = async (options: SMTPServerOptions = {}) => {
  const mails: Mail[] = []
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    disableReverseLookup: true,
    onData: (stream, session, done) => {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', () => {
        const { mailFrom, rcptTo } = session.envelope
        mails.push({
          from: mailFrom === false ? '' : mailFrom.address,
          to: rcptTo.map(({ address }) => address),
          text: Buffer.concat(chunks).toString('utf8'),
        })
        done()
      })
    },
    ...options,
  })
  server.on('error', () => {})
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', () => resolve()))
  closing.push(() => new Promise<void>((resolve) => server.close(() => resolve())))
  const { port } = server.server.address() as AddressInfo
  return {
    mails,
    config: { url: `smtp://127.0.0.1:${port}`, from: 'results@example.com', domains: ['example.com'] } as MailConfig,
  }
}

const sendOnce = (config: MailConfig | null, to = 'ada@example.com') =>
  sendMail(config)({
    url: `mailto:${to}`,
    headers: { subject: 'A run got worse', 'message-id': 'msg_1' },
    body: 'text',
    allowed: NO_TARGETS,
    signal: new AbortController().signal,
  })

describe('a webhook that sends e-mails', () => {
  it('sends them to one address, in words, with the same id at each try', async () => {
    const { mails, config } = await openMailServer()
    const { spec, create, send, states } = await open({ mail: config })
    const made = await create({ url: 'mailto:ada@example.com', format: 'email', events: EVENTS })
    expect(made).toMatchObject({ url: 'mailto:ada@example.com', format: 'email' })
    await spec.ingest(aDocument({ run_id: 'r1', ...SET }))
    await send()
    expect(await states()).toEqual(['delivered'])
    const [{ from, to, text } = { from: '', to: [], text: '' }] = mails
    expect([mails.length, from, to]).toEqual([1, 'results@example.com', ['ada@example.com']])
    expect(text).toContain('Subject: A run was uploaded: chat / smoke\r\n')
    expect(text).toMatch(/Message-ID: <msg_[0-9A-Z]{26}@example\.com>\r\n/)
    expect(text).toContain('https://results.example/runs/r1')
  })

  it('cannot be given a header, a second address or another domain', async () => {
    const { mails, config } = await openMailServer()
    const { ask, ada, create, spec, send } = await open({ mail: config })
    for (const [url, problem] of [
      ['mailto:ada@other.example', 'must be an address of example.com'],
      ['mailto:ada@example.com,bea@example.com', 'must be mailto: and one e-mail address'],
      ['mailto:ada@example.com?bcc=x@example.com', 'must be mailto: and one e-mail address'],
      ['mailto:ada@example.com%0d%0aBcc:x@example.com', 'must be mailto: and one e-mail address'],
      ['mailto:ada%other.example@example.com', 'must be mailto: and one e-mail address'],
      ['mailto:other.example!ada@example.com', 'must be mailto: and one e-mail address'],
      ['mailto:"Ada" <ada@example.com>', 'must be mailto: and one e-mail address'],
      ['https://example.com', 'must be mailto: and one e-mail address'],
      ['mailto:', 'must be mailto: and one e-mail address'],
    ]) {
      const answer = await ask('POST', '/webhooks', {
        token: ada.token,
        body: { url, format: 'email', events: EVENTS },
      })
      expect([answer.statusCode, answer.json()], url).toEqual([422, { error: `url: ${problem}` }])
    }
    await create({ url: 'mailto:ada@example.com', format: 'email', events: EVENTS })
    await spec.ingest(aDocument({ run_id: 'r\r\nBcc: x@example.com', project: 'a\r\nBcc: y@example.com', suite: 's' }))
    await send()
    expect(mails.map(({ to }) => to)).toEqual([['ada@example.com']])
    expect(mails[0]?.text).not.toMatch(/^Bcc:/m)
  })

  it('needs a mail server that the operator names', async () => {
    const { ask, ada } = await open()
    const body = { url: 'mailto:ada@example.com', format: 'email', events: EVENTS }
    const answer = await ask('POST', '/webhooks', { token: ada.token, body })
    expect([answer.statusCode, answer.json()]).toEqual([
      422,
      { error: 'url: e-mails need SERVICE_SMTP_URL: the operator of this server has not set it' },
    ])
  })
})

describe('sending an e-mail', () => {
  it('reports what the server answered', async () => {
    const { config } = await openMailServer({
      onRcptTo: (_address, _session, done) => done(Object.assign(new Error('no such mailbox'), { responseCode: 550 })),
    })
    expect(await sendOnce(config)).toEqual({ status: 550, error: 'status' })
  })

  it('sends a password only over TLS', async () => {
    const seen: unknown[] = []
    const { config } = await openMailServer({
      onAuth: ({ password }, _session, done) => {
        seen.push(password)
        done(null, { user: 'x' })
      },
      allowInsecureAuth: true,
    })
    const withPassword = { ...config, url: config.url.replace('//', '//user:hush@') }
    expect(await sendOnce(withPassword)).toMatchObject({ error: 'tls' })
    expect(seen).toEqual([])
  })

  it('reports a server that is away, and settings that are gone', async () => {
    const { config } = await openMailServer()
    expect(await sendOnce({ ...config, url: 'smtp://127.0.0.1:1' })).toEqual({ status: null, error: 'connection' })
    expect(await sendOnce(null)).toEqual({ status: null, error: 'address_refused' })
    expect(await sendOnce({ ...config, domains: ['other.example'] })).toEqual({
      status: null,
      error: 'address_refused',
    })
  })
})

describe('a webhook for a chat', () => {
  it('posts the form of its chat, and keeps it with a new secret', async () => {
    const { spec, create, receiver, send, ask, ada } = await open()
    const { id } = await create({ format: 'slack', events: EVENTS })
    await ask('POST', `/webhooks/${id}/secret`, { token: ada.token })
    await spec.ingest(aDocument({ run_id: 'r1', ...SET }))
    await send()
    expect(receiver.received.map(({ body }) => (JSON.parse(body) as { text: string }).text)).toEqual([
      'A run was uploaded: chat / smoke',
    ])
    const listed = (await ask('GET', '/webhooks', { token: ada.token })).json<{ webhooks: unknown[] }>()
    expect(listed.webhooks).toMatchObject([{ id, format: 'slack' }])
  })
})
