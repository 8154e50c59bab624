import { once } from 'node:events'
import { createServer } from 'node:http'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { startServer } from '../../support/servers/server.ts'
import { samlConfig } from '../../support/sso/providers.ts'
import { metadataWith } from '../../support/sso/saml/idp-metadata.ts'
import { openSsoApp, start } from '../../support/sso/sso-app.ts'

let idp: Server
let url: string
let answer: { status: number; body: string }
beforeEach(async () => {
  answer = { status: 200, body: metadataWith() }
  idp = createServer((_request, response) => response.writeHead(answer.status).end(answer.body)).listen(0, '127.0.0.1')
  await once(idp, 'listening')
  url = `http://127.0.0.1:${(idp.address() as AddressInfo).port}/metadata`
})
afterEach(async () => {
  idp.close()
  idp.closeAllConnections()
  await once(idp, 'close').catch(() => {})
})

const environment = () => ({
  SERVICE_PUBLIC_URL: 'https://results.example.com',
  SERVICE_SAML_PROVIDERS: 'my-idp',
  SERVICE_SAML_MY_IDP_IDP_METADATA_URL: url,
})

describe('a start with the metadata of a SAML provider at a URL', () => {
  it('names variable, provider and reason if the metadata has no signing certificate', async () => {
    answer = { status: 200, body: metadataWith({ keys: '' }) }
    await expect(startServer({ env: environment() })).rejects.toThrow(
      'SERVICE_SAML_MY_IDP_IDP_METADATA_URL: the metadata has no signing certificate (provider my-idp)',
    )
  })

  it('fails if the URL returns something else', async () => {
    answer = { status: 200, body: '<html><body>Sign in</body></html>' }
    await expect(startServer({ env: environment() })).rejects.toThrow(
      /ended with code 1: .*SERVICE_SAML_MY_IDP_IDP_METADATA_URL: the metadata .* \(provider my-idp\)/,
    )
  })

  it('succeeds without the provider, whose metadata is fetched at the next sign-in', async () => {
    answer = { status: 503, body: '' }
    const app = await openSsoApp([samlConfig({ idp: { from: 'url', url } })])
    try {
      expect((await start(app, { kind: 'saml', name: 'corp' })).to).toBe(
        '/login?sso_error=provider_error&provider=corp',
      )
      answer = { status: 200, body: metadataWith() }
      const { to } = await start(app, { kind: 'saml', name: 'corp' })
      expect(new URL(to).origin).toBe('https://idp.example')
    } finally {
      await app.close()
    }
  })
})
