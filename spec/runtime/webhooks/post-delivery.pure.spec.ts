import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { NO_TARGETS } from '../../../runtime/webhooks/addresses.ts'
import { postDelivery, type Resolve } from '../../../runtime/webhooks/post-delivery.ts'
import { ecKey } from '../../support/sso/certificate.ts'
import { openReceiver, type Receiver } from '../../support/webhooks/receiver.ts'

const LOOPBACK = { hosts: [], ranges: ['127.0.0.1'] }
let receiver: Receiver
beforeEach(async () => void (receiver = await openReceiver()))
afterEach(() => receiver.close())

const open = new AbortController().signal
const send = (
  url: string,
  {
    allowed = LOOPBACK,
    signal = open,
    resolve,
  }: { allowed?: typeof LOOPBACK | typeof NO_TARGETS; signal?: AbortSignal; resolve?: Resolve } = {},
) => postDelivery(resolve)({ url, allowed, signal, headers: { 'webhook-id': 'msg_1' }, body: '{}' })

describe('a message', () => {
  it('is posted to an address that is allowed', async () => {
    expect(await send(`${receiver.url}/a?b=c`)).toEqual({ status: 204, error: null })
    expect(receiver.received).toMatchObject([
      { path: '/a?b=c', body: '{}', headers: { 'webhook-id': 'msg_1', 'content-length': '2' } },
    ])
  })

  it('is not sent to loopback otherwise, under any name', async () => {
    const refused = { status: null, error: 'address_refused' }
    expect(await send(receiver.url, { allowed: NO_TARGETS })).toEqual(refused)
    expect(await send(`http://localhost:${receiver.port}/`, { allowed: NO_TARGETS })).toEqual(refused)
    expect(await send(`http://[::ffff:127.0.0.1]:${receiver.port}/`, { allowed: NO_TARGETS })).toEqual(refused)
    expect(receiver.received).toEqual([])
  })

  it('goes to the address that was checked: the name is resolved once', async () => {
    let asked = 0
    const resolve: Resolve = async () => [{ address: asked++ === 0 ? '127.0.0.1' : '169.254.169.254', family: 4 }]
    expect(await send(`http://rebinding.example:${receiver.port}/`, { resolve })).toEqual({ status: 204, error: null })
    expect([asked, receiver.received[0]?.headers['host']]).toEqual([1, `rebinding.example:${receiver.port}`])
  })

  it('is not sent if one of several addresses is refused', async () => {
    const resolve: Resolve = async () => [
      { address: '127.0.0.1', family: 4 },
      { address: '10.0.0.1', family: 4 },
    ]
    expect(await send(`http://two.example:${receiver.port}/`, { resolve })).toEqual({
      status: null,
      error: 'address_refused',
    })
  })

  it.each([
    [200, null],
    [299, null],
    [302, 'redirect'],
    [308, 'redirect'],
    [400, 'status'],
    [410, 'status'],
    [500, 'status'],
  ])('that is answered with %i: %s', async (status, error) => {
    receiver.status(status)
    expect(await send(receiver.url)).toEqual({ status, error })
  })

  it('fails with a reason that names nothing of the receiver', async () => {
    const { port } = receiver
    await receiver.close()
    expect(await send(`http://127.0.0.1:${port}/`)).toEqual({ status: null, error: 'connection' })
    const unknown: Resolve = () => Promise.reject(new Error('ENOTFOUND'))
    expect(await send('https://unknown.example/', { resolve: unknown })).toEqual({
      status: null,
      error: 'name_not_resolved',
    })
    expect(await send('https://unknown.example/', { resolve: async () => [] })).toEqual({
      status: null,
      error: 'name_not_resolved',
    })
  })

  it('ends with its signal, also while the name is resolved', async () => {
    const controller = new AbortController()
    const never: Resolve = () => new Promise(() => {})
    const sent = send('https://slow.example/', { resolve: never, signal: controller.signal })
    controller.abort()
    expect(await sent).toEqual({ status: null, error: 'timeout' })
    receiver.answer(() => late.abort())
    const late = new AbortController()
    expect(await send(receiver.url, { signal: late.signal })).toEqual({ status: null, error: 'timeout' })
  })

  it('fails if the headers of an answer are too long', async () => {
    receiver.answer((_n, response) => response.writeHead(200, { 'x-long': 'x'.repeat(40_000) }).end())
    expect(await send(receiver.url)).toEqual({ status: null, error: 'connection' })
  })

  it('is not sent over TLS to a receiver whose certificate is not trusted', async () => {
    let requests = 0
    const { privateKey, certificate } = ecKey('P-256')
    const key = privateKey.export({ type: 'pkcs8', format: 'pem' })
    const server = createServer({ key, cert: certificate }, (_request, response) => {
      requests++
      response.end()
    })
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
    expect(await send(`https://127.0.0.1:${(server.address() as AddressInfo).port}/`)).toEqual({
      status: null,
      error: 'tls',
    })
    expect(requests).toBe(0)
    await new Promise((done) => server.close(done))
  })
})
