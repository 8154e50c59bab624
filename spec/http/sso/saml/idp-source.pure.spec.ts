import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { SamlProvider } from '../../../../http/sso/provider.ts'
import { openSamlProvider } from '../../../../http/sso/saml/open-provider.ts'
import { rsaKey, type SigningKey } from '../../../support/sso/certificate.ts'
import { idpMetadataXml, samlResponse } from '../../../support/sso/saml/saml-idp.ts'
import { AT, configFor, FIELDS, PUBLIC_URL, REQUEST_ID } from '../../../support/sso/saml/saml-service.ts'

const KEYS = [rsaKey(), rsaKey(), rsaKey()] as const
const MINUTE = 60_000
const HOUR = 3_600_000

let server: Server
let url: string
let answer: RequestListener
let requests: number
let logged: unknown[]
let time: number

beforeAll(async () => {
  server = createServer((request, response) => {
    requests += 1
    answer(request, response)
  })
  const { promise, resolve } = Promise.withResolvers<void>()
  server.listen(0, '127.0.0.1', resolve)
  await promise
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/metadata?secret=hunter2`
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
})
beforeEach(() => {
  requests = 0
  logged = []
  time = AT
  publish(KEYS[0])
})

const { idp } = configFor()
const ssoUrl = idp.from === 'configuration' ? idp.metadata.ssoUrl : ''
const publish = (...keys: readonly SigningKey[]): void => {
  const certificates = keys.map(({ certificate }) => certificate)
  const xml = idpMetadataXml({ entityId: FIELDS.issuer, ssoUrl, certificates })
  answer = (_, response) => response.end(xml)
}
const answerWith = (status: number, body: string, headers: Record<string, string> = {}): void => {
  answer = (_, response) => response.writeHead(status, headers).end(body)
}

const open = (timeoutMs?: number, metadataUrl = url): Promise<SamlProvider> =>
  openSamlProvider(
    { ...configFor(), idp: { from: 'url', url: metadataUrl } },
    {
      publicUrl: PUBLIC_URL,
      clockSkewSecs: 60,
      now: () => time,
      logger: { warn: (...entry: unknown[]) => void logged.push(entry) },
      ...(timeoutMs === undefined ? {} : { timeoutMs }),
    },
  )
/** Signs in with a response that a key signs now. */
const signIn = (provider: SamlProvider, key: SigningKey): Promise<string> =>
  provider
    .finish({ response: samlResponse({ ...FIELDS, at: time }, { key, sign: 'both' }), requestId: REQUEST_ID })
    .then(
      ({ subject }) => subject,
      (error: Error) => error.message,
    )
const REFUSED = 'a signature of the response does not verify'

describe('metadata at a URL', () => {
  it('is fetched once for many sign-ins', async () => {
    const provider = await open()
    for (const key of [KEYS[0], KEYS[0], KEYS[0]]) expect(await signIn(provider, key)).toBe('ada@example.com')
    expect((await provider.start({ relayState: 'x' })).url.startsWith(`${ssoUrl}?SAMLRequest=`)).toBe(true)
    expect(requests).toBe(1)
    expect(logged).toEqual([])
  })

  it.each<readonly [string, () => void, RegExp]>([
    ['is not XML', () => answerWith(200, 'hello'), /is not well-formed XML/],
    ['has no signing certificate', () => publish(), /has no signing certificate/],
    ['is too large', () => answerWith(200, 'x'.repeat(262_145)), /has more than 262144 bytes/],
  ])('stops the start if it %s', async (_, prepare, reason) => {
    prepare()
    await expect(open()).rejects.toThrow(reason)
  })

  it('stops the start if it never ends', async () => {
    const chunk = 'x'.repeat(65_536)
    answer = (_, response) => {
      const write = (): void => void response.write(chunk, (error) => (error ? undefined : write()))
      write()
    }
    await expect(open()).rejects.toThrow(/has more than 262144 bytes/)
  })

  it.each<readonly [string, () => void, RegExp]>([
    ['answers with an error', () => answerWith(503, 'busy'), /status 503/],
    ['answers with a redirect', () => answerWith(302, '', { location: '/metadata' }), /status 302/],
    [
      'breaks the connection',
      () => (answer = (request) => request.socket.destroy()),
      /^the URL could not be reached: (?:UND_ERR_SOCKET|ECONNRESET)$/,
    ],
  ])('does not stop the start if the URL %s; the next sign-in tries again', async (_, prepare, reason) => {
    prepare()
    const provider = await open()
    expect(logged).toEqual([
      [{ provider: 'saml:corp', reason: expect.stringMatching(reason) as unknown }, expect.any(String)],
    ])
    expect(JSON.stringify(logged)).not.toMatch(/hunter2|127\.0\.0\.1/)
    await expect(provider.start({ relayState: 'x' })).rejects.toMatchObject({ code: 'provider_error' })
    expect(await signIn(provider, KEYS[0])).toBe('the metadata of the provider has not been fetched')
    expect(requests).toBe(3)
    publish(KEYS[0])
    expect(await signIn(provider, KEYS[0])).toBe('ada@example.com')
  })

  it('at a port where nothing listens gives a warning with the code of the error', async () => {
    const closed = createServer().listen(0, '127.0.0.1')
    await once(closed, 'listening')
    const { port } = closed.address() as AddressInfo
    closed.close()
    await open(undefined, `http://127.0.0.1:${port}/metadata`)
    expect(logged).toEqual([
      [{ provider: 'saml:corp', reason: 'the URL could not be reached: ECONNREFUSED' }, expect.any(String)],
    ])
  })

  it('is abandoned after a time, even if the answer has started', async () => {
    answer = (_, response) => void response.writeHead(200).write('<EntityDescriptor')
    const provider = await open(50)
    expect(logged).toEqual([[{ provider: 'saml:corp', reason: 'no answer within 50 ms' }, expect.any(String)]])
    await expect(provider.start({ relayState: 'x' })).rejects.toMatchObject({ code: 'provider_error' })
  })

  it('is fetched once for sign-ins at the same time', async () => {
    answerWith(503, 'busy')
    const provider = await open()
    publish(KEYS[0])
    const starts = Array.from({ length: 10 }, () => provider.start({ relayState: 'x' }))
    expect(new Set((await Promise.all(starts)).map(({ requestId }) => requestId)).size).toBe(10)
    expect(requests).toBe(2)
  })
})

describe('a new key of the provider', () => {
  it('is found when a signature does not verify, at most once a minute', async () => {
    const provider = await open()
    publish(KEYS[1])
    time += MINUTE - 1
    expect(await signIn(provider, KEYS[1])).toBe(REFUSED)
    expect(requests).toBe(1)
    time += 1
    expect(await signIn(provider, KEYS[1])).toBe('ada@example.com')
    expect(await signIn(provider, KEYS[0])).toBe(REFUSED)
    expect(requests).toBe(2)
    publish(KEYS[1], KEYS[2])
    time += MINUTE
    expect(await signIn(provider, KEYS[2])).toBe('ada@example.com')
    expect(await signIn(provider, KEYS[1])).toBe('ada@example.com')
    expect(requests).toBe(3)
  })

  it('is found after an hour, while the old metadata is used', async () => {
    const provider = await open()
    publish(KEYS[1])
    const { promise: asked, resolve } = Promise.withResolvers<void>()
    const published = answer
    answer = (request, response) => {
      published(request, response)
      response.once('close', resolve)
    }
    time += HOUR - 1
    expect(await signIn(provider, KEYS[0])).toBe('ada@example.com')
    expect(requests).toBe(1)
    time += 1
    // The provider took the old key back. This sign-in starts the fetch, and still has the old metadata.
    expect(await signIn(provider, KEYS[0])).toBe('ada@example.com')
    await asked
    expect(await signIn(provider, KEYS[1])).toBe('ada@example.com')
    expect(await signIn(provider, KEYS[0])).toBe(REFUSED)
    expect(requests).toBe(2)
  })

  it('that cannot be fetched leaves the old one in use', async () => {
    const provider = await open()
    answerWith(200, 'hello')
    time += HOUR
    expect(await signIn(provider, KEYS[1])).toBe(REFUSED)
    expect(await signIn(provider, KEYS[0])).toBe('ada@example.com')
    expect(requests).toBe(2)
    expect(JSON.stringify(logged)).toContain('it is not well-formed XML')
  })
})
