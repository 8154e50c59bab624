import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { startServer } from '../../support/servers/server.ts'
import { rsaKey } from '../../support/sso/certificate.ts'
import { oidcConfig, samlConfig } from '../../support/sso/providers.ts'
import { metadataWith } from '../../support/sso/saml/idp-metadata.ts'
import { idpMetadataXml } from '../../support/sso/saml/saml-idp.ts'
import { openSsoApp, PUBLIC_URL, responseTo, start } from '../../support/sso/sso-app.ts'

let idp: Server
let asked = Promise.withResolvers<void>()
let url: string
/** Null never answers. */
let answer: { status: number; body: string } | null
beforeEach(async () => {
  asked = Promise.withResolvers<void>()
  answer = { status: 200, body: metadataWith() }
  idp = createServer((_request, response) => {
    if (answer) response.writeHead(answer.status).end(answer.body)
    else asked.resolve()
  }).listen(0, '127.0.0.1')
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

  it('fails if the URL returns something else, and names every such provider', async () => {
    answer = { status: 200, body: '<html><body>Sign in</body></html>' }
    const env = { SERVICE_SAML_PROVIDERS: 'my-idp,other', SERVICE_SAML_OTHER_IDP_METADATA_URL: url }
    await expect(startServer({ env: { ...environment(), ...env } })).rejects.toThrow(
      /ended with code 1: .*SERVICE_SAML_MY_IDP_IDP_METADATA_URL: the metadata .* \(provider my-idp\)\\nSERVICE_SAML_OTHER_IDP_METADATA_URL: the metadata .* \(provider other\)/,
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

describe('a provider that does not answer', () => {
  it('holds up its own sign-ins alone, and they end when the connection does', async () => {
    const app = await openSsoApp([oidcConfig({ issuer: url }), samlConfig()])
    try {
      answer = null
      const waiting = Array.from({ length: 50 }, () => start(app, { kind: 'oidc', name: 'corp' }))
      await asked.promise
      expect((await start(app, { kind: 'saml', name: 'corp' })).to).toMatch(/^http:\/\/idp\.invalid\/sso\?SAMLRequest=/)
      expect((await app.sendAs('read')('GET', '/runs')).statusCode).toBe(200)
      idp.closeAllConnections()
      for (const step of await Promise.all(waiting))
        expect([step.status, step.to]).toEqual([303, '/login?sso_error=provider_error&provider=corp'])
    } finally {
      await app.close()
    }
  })

  it('is given up in less than ten seconds', async () => {
    const timeout = vi.spyOn(AbortSignal, 'timeout')
    answer = { status: 503, body: '' }
    const app = await openSsoApp([oidcConfig({ issuer: url }), samlConfig({ idp: { from: 'url', url } })])
    try {
      for (const kind of ['oidc', 'saml'] as const) {
        timeout.mockClear()
        expect((await start(app, { kind, name: 'corp' })).status).toBe(303)
        // The library has a longer limit of its own.
        expect(Math.min(...timeout.mock.calls.map(([milliseconds]) => milliseconds))).toBeLessThan(10_000)
      }
    } finally {
      timeout.mockRestore()
      await app.close()
    }
  })
})

describe('a server', () => {
  const key = rsaKey()
  const metadata = () =>
    idpMetadataXml({
      entityId: 'https://idp.example.com/metadata',
      ssoUrl: 'https://idp.example.com/sso',
      certificates: [key.certificate],
    })

  it('refuses an assertion that it accepted before a restart', async () => {
    answer = { status: 200, body: metadata() }
    const env = {
      SERVICE_PUBLIC_URL: PUBLIC_URL,
      SERVICE_SAML_PROVIDERS: 'corp',
      SERVICE_SAML_CORP_IDP_METADATA_URL: url,
      SERVICE_SAML_CORP_ALLOW_IDP_INITIATED: 'true',
    }
    const body = new URLSearchParams({ SAMLResponse: responseTo(key, { at: Date.now(), requestId: null }) })
    const first = await startServer({ env })
    const location = async (server: typeof first): Promise<string | null> =>
      (
        await fetch(`${server.url}/api/v1/auth/saml/corp/acs`, { method: 'POST', redirect: 'manual', body })
      ).headers.get('location')
    expect(await location(first)).toBe('/')
    await first.stop({ keep: true })
    const second = await startServer({ env, dataDir: first.dataDir })
    expect(await location(second)).toBe('/login?sso_error=replayed&provider=corp')
    await second.stop()
  })

  it('records a digest of its providers that does not depend on secrets and people', async () => {
    const digestWith = async (changes: Readonly<Record<string, string>>): Promise<string> => {
      const server = await startServer({
        env: {
          SERVICE_PUBLIC_URL: PUBLIC_URL,
          SERVICE_OIDC_PROVIDERS: 'corp',
          SERVICE_OIDC_CORP_ISSUER: 'https://idp.example.com',
          SERVICE_OIDC_CORP_CLIENT_ID: 'client',
          SERVICE_OIDC_CORP_CLIENT_SECRET: 'secret',
          SERVICE_OIDC_CORP_ADMIN_EMAILS: 'mira@example.com',
          ...changes,
        },
        port: 0,
        dataDir: folder,
      })
      const answered = await fetch(`${server.url}/api/v1/audit?type=Started&limit=1`, {
        headers: { authorization: `Bearer ${server.token}` },
      })
      const { events } = (await answered.json()) as { events: Array<{ data: { config_sha256: string } }> }
      await server.stop({ keep: true })
      return events[0]?.data.config_sha256 ?? ''
    }
    const folder = mkdtempSync(join(tmpdir(), 'ers-spec-'))
    try {
      // The first start makes the key of the log, and the next ones have it in their digest.
      await digestWith({})
      const plain = await digestWith({})
      expect(plain).toMatch(/^[0-9a-f]{64}$/)
      expect(await digestWith({ SERVICE_OIDC_CORP_CLIENT_SECRET: 'another' })).toBe(plain)
      expect(await digestWith({ SERVICE_OIDC_CORP_ADMIN_EMAILS: 'jon@example.com' })).toBe(plain)
      expect(await digestWith({ SERVICE_OIDC_CORP_ADMIN_GROUPS: 'ops' })).not.toBe(plain)
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })
})
