import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openBrowser } from '../../support/browser.ts'
import { startReverseProxy, type ReverseProxy } from '../../support/servers/reverse-proxy.ts'
import { startServer, type RunningServer } from '../../support/servers/server.ts'
import { rsaKey } from '../../support/sso/certificate.ts'
import { HOSTILE_PATHS } from '../../support/sso/hostile-paths.ts'
import { startOidcProvider, type RunningOidcProvider } from '../../support/sso/oidc/oidc-provider.ts'
import { startSamlIdp, type RunningSamlIdp } from '../../support/sso/saml/saml-idp-server.ts'

// A real browser signs in through real providers. The service is behind a proxy, so its public URL is another one than
// the address that it sees.

const browser = await openBrowser()

// Behind TLS the providers are another site, because they have none: cookies must have `SameSite=None` then.
describe.each([
  { name: 'over http', tls: null },
  { name: 'over https, with secure cookies', tls: rsaKey() },
])('a service behind a proxy, $name', ({ tls }) => {
  let proxy: ReverseProxy
  let oidc: RunningOidcProvider
  let saml: RunningSamlIdp
  let server: RunningServer
  beforeAll(async () => {
    proxy = await startReverseProxy(tls)
    const publicUrl = proxy.url
    oidc = await startOidcProvider({
      publicUrl,
      name: 'corp',
      accounts: [
        { sub: '1', email: 'mira@example.com', email_verified: true, groups: ['admins'] },
        { sub: '2', email: 'eve@other.example', email_verified: true, groups: [] },
      ],
    })
    saml = await startSamlIdp({
      publicUrl,
      provider: 'saml',
      accounts: [{ name: 'n', email: 'noor@example.com', groups: ['admins'] }],
      now: Date.now,
    })
    server = await startServer({
      env: {
        SERVICE_PUBLIC_URL: publicUrl,
        SERVICE_OIDC_PROVIDERS: 'corp',
        SERVICE_OIDC_CORP_ISSUER: oidc.issuer,
        SERVICE_OIDC_CORP_CLIENT_ID: oidc.clientId,
        SERVICE_OIDC_CORP_CLIENT_SECRET: oidc.clientSecret,
        SERVICE_OIDC_CORP_ADMIN_GROUPS: 'admins',
        SERVICE_OIDC_CORP_ALLOWED_EMAIL_DOMAINS: 'example.com',
        SERVICE_SAML_PROVIDERS: 'saml',
        SERVICE_SAML_SAML_LABEL: 'Campus',
        SERVICE_SAML_SAML_IDP_METADATA_URL: saml.metadataUrl,
      },
    })
    proxy.forwardTo(server.url)
    // The first visitor of an empty service is asked to set it up.
    const created = await fetch(`${server.url}/api/v1/users`, {
      method: 'POST',
      headers: { authorization: `Bearer ${server.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ username: 'root', password: 'correct horse battery', role: 'admin' }),
    })
    expect(created.status).toBe(201)
  })
  afterAll(async () => {
    await server.stop()
    await Promise.all([oidc.close(), saml.close(), proxy.close()])
  })

  const open = async (path: string): Promise<{ page: Page; close: () => Promise<void> }> => {
    const context = await browser.newContext({ baseURL: proxy.url, ignoreHTTPSErrors: true, locale: 'en-GB' })
    context.setDefaultTimeout(120_000)
    const page = await context.newPage()
    await page.goto(path)
    return { page, close: () => context.close() }
  }
  /** The reason of a failed sign-in. The page has an empty alert too, for later messages. */
  const shown = (page: Page) => page.getByRole('alert').filter({ hasText: /\S/ })
  const ownName = async (page: Page): Promise<unknown> =>
    page.evaluate<unknown>(
      "fetch('/api/v1/auth/me').then((answer) => answer.json()).then(({ user }) => user?.username)",
    )

  it('signs in through the OpenID provider, and returns to the page that was asked for', async () => {
    const { page } = await open('/settings')
    await page.getByRole('link', { name: 'Corp' }).click()
    await page.getByRole('button', { name: 'mira@example.com' }).click()
    await page.waitForURL(`${proxy.url}/settings`)
    expect(await ownName(page)).toBe('mira')
    const cookies = (await page.context().cookies()).filter(({ name }) => name.startsWith('service_'))
    expect(cookies.map(({ name, secure, httpOnly }) => [name, secure, httpOnly])).toEqual([
      ['service_session', tls !== null, true],
    ])
  })

  it('signs in through the SAML provider', async () => {
    const { page } = await open('/settings')
    await page.getByRole('link', { name: 'Campus' }).click()
    await page.getByRole('button', { name: 'noor@example.com' }).click()
    await page.waitForURL(`${proxy.url}/settings`)
    expect(await ownName(page)).toBe('noor')
  })

  it('shows why a sign-in failed, and starts again', async () => {
    const { page } = await open('/runs')
    await page.getByRole('link', { name: 'Corp' }).click()
    await page.getByRole('button', { name: 'eve@other.example' }).click()
    await shown(page).waitFor()
    await expect.poll(() => new URL(page.url()).pathname).toBe('/login')
    await page.getByRole('link', { name: 'Corp' }).click()
    await page.getByRole('button', { name: 'Cancel' }).click()
    await shown(page).waitFor()
    await page.getByRole('link', { name: 'Corp' }).click()
    await page.getByRole('button', { name: 'mira@example.com' }).click()
    await page.waitForURL((url) => url.origin === proxy.url && url.pathname !== '/login')
    expect(await ownName(page)).toBe('mira')
  })

  it('refuses a sign-in that the SAML provider started', async () => {
    const { page } = await open(saml.url)
    await page.getByRole('button', { name: 'noor@example.com' }).click()
    await shown(page).waitFor()
    await expect.poll(() => new URL(page.url()).origin).toBe(proxy.url)
    expect(await ownName(page)).toBeUndefined()
  })

  // A browser takes long to try all paths, and they do not depend on the scheme.
  if (!tls)
    it('leads to no other site, whatever the path to return to', async () => {
      oidc.signInAs('1')
      const { page } = await open('/login')
      // The page at the end is not needed, only its address.
      await page.route('**/assets/**', (route) => route.abort())
      const elsewhere: string[] = []
      page.on('request', (request) => {
        const { origin } = new URL(request.url())
        if (![proxy.url, oidc.issuer, saml.url.replace('/sso', '')].includes(origin)) elsewhere.push(request.url())
      })
      for (const path of HOSTILE_PATHS) {
        const query = new URLSearchParams({ return_to: path }).toString()
        await page.goto(`/api/v1/auth/oidc/corp/start?${query}`, { waitUntil: 'commit' })
        await expect.poll(() => [path, new URL(page.url()).origin]).toEqual([path, proxy.url])
      }
      expect(elsewhere).toEqual([])
      oidc.signInAs(null)
    })
})
