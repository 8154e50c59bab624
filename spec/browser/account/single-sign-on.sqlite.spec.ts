import type { Page } from 'playwright-core'
import { afterAll, describe, expect, it } from 'vitest'
import { callApi, openBrowser, setUp, visit, type Visit } from '../../support/browser.ts'
import { startServer } from '../../support/servers/server.ts'
import { HOSTILE_PATHS } from '../../support/sso/hostile-paths.ts'
import { LINKED, PROVIDERS, stubProviders } from '../../support/sso/stubbed-providers.ts'

const ACCOUNT = { username: 'mira', password: 'correct horse battery' }
const START = '/api/v1/auth/oidc/acme/start'
afterAll(() => server.stop())

/** Opens a page of a server that has providers. */
const open = async (
  path: string,
  options: { readonly session?: string; readonly linked?: Parameters<typeof stubProviders>[2] } = {},
  url = server.url,
): Promise<Visit> => {
  const { linked, ...signedIn } = options
  const visited = await visit(browser, url, '/icon.svg', { width: 1440, ...signedIn })
  await stubProviders(visited.page, PROVIDERS, linked)
  await visited.page.goto(path)
  return visited
}
const links = (page: Page) => page.getByRole('link', { name: /^Continue with/ })
const hrefs = (page: Page): Promise<(string | null)[]> =>
  page.evaluate("[...document.querySelectorAll('main li a')].map((link) => link.getAttribute('href'))")
const alertText = (page: Page): Promise<string> => page.locator('main [role=alert]').innerText()
const [browser, server] = await Promise.all([openBrowser(), startServer()])
const session = await setUp(server.url, ACCOUNT.username, ACCOUNT.password)
const answer = await callApi(server.url, session, 'POST', '/users', {
  username: 'ci-bot',
  password: ACCOUNT.password,
  role: 'member',
})
const bot = ((await answer.json()) as { id: string }).id

describe('the sign-in page with providers', () => {
  it('has a link for each, in the order of the server and before the form', async () => {
    const { page } = await open('/login?return_to=/runs%3Ftag%3Da%2526b')
    await links(page).first().waitFor()
    const end = `?return_to=${encodeURIComponent('/runs?tag=a%26b')}`
    expect(await hrefs(page)).toEqual(PROVIDERS.map(({ login_url }) => `${login_url}${end}`))
    expect(await links(page).last().innerText()).toContain('<img src=x onerror=alert(1)>')
    expect(await page.locator('img').count()).toBe(0)
    expect(await page.evaluate('document.activeElement === document.body')).toBe(true)
    for (const label of ['Continue with Acme SSO', 'Continue with A provider']) {
      await page.keyboard.press('Tab')
      while ((await page.evaluate<string>('document.activeElement.textContent')).startsWith('Skip'))
        await page.keyboard.press('Tab')
      expect(await page.evaluate<string>('document.activeElement.textContent')).toContain(label)
    }
  })

  it('leaves the app by a link, so that the server can redirect to the provider', async () => {
    const { page } = await open('/login?return_to=/runs')
    await page.route(`**${START}*`, (route) => route.fulfill({ contentType: 'text/html', body: '<h1>Provider</h1>' }))
    const [request] = await Promise.all([page.waitForRequest(`**${START}*`), links(page).first().click()])
    expect([request.isNavigationRequest(), request.url()]).toEqual([true, `${server.url}${START}?return_to=%2Fruns`])
    await page.getByRole('heading', { name: 'Provider' }).waitFor()
  })

  it('never passes on a path that could lead to another site', async () => {
    const { page } = await open('/login')
    await links(page).first().waitFor()
    /** Changes the address without loading the page again, which would take most of the time. */
    const goTo = async (path: string): Promise<void> => {
      const address = `/login?${new URLSearchParams({ return_to: path }).toString()}`
      await page.evaluate(
        `history.pushState({}, '', ${JSON.stringify(address)}); dispatchEvent(new PopStateEvent('popstate', { state: {} }))`,
      )
    }
    for (const path of HOSTILE_PATHS) {
      // The page shows that it has read the address before the hostile one.
      await goTo('/runs')
      await page.getByText('You will return to').waitFor()
      await goTo(path)
      await page.getByText('You will return to').waitFor({ state: 'detached' })
      expect(await hrefs(page), path).toEqual(PROVIDERS.map(({ login_url }) => login_url))
    }
  })

  it('still signs in with a password', async () => {
    const { page } = await open('/login?return_to=/runs')
    await page.getByLabel('User name').fill(ACCOUNT.username)
    await page.getByLabel('Password').fill(ACCOUNT.password)
    await page.keyboard.press('Enter')
    await page.waitForURL(`${server.url}/runs`)
  })
})

describe('a sign-in that failed at a provider', () => {
  it.each([
    ['account_disabled', 'Your account is disabled'],
    ['<b>bold</b>', 'The sign-in failed'],
  ])('for the reason %s is explained once, as an alert', async (code, title) => {
    const query = new URLSearchParams({ sso_error: code, provider: 'acme', return_to: '/runs' })
    const { page } = await open(`/login?${query.toString()}`)
    await page.getByRole('alert').getByText(title).waitFor()
    await page.waitForURL(`${server.url}/login?return_to=/runs`)
    expect(await alertText(page)).not.toContain('bold')
    expect(await hrefs(page)).toContain(`${START}?return_to=%2Fruns`)
    await page.reload()
    await links(page).first().waitFor()
    expect(await alertText(page)).toBe('')
  })

  it('names a provider by its label, and none that does not exist', async () => {
    const { page } = await open('/login?sso_error=replayed&provider=acme')
    await page.getByRole('alert').getByText('A response of Acme SSO can be used only once').waitFor()
    await page.goto('/login?sso_error=replayed&provider=no-such-provider')
    await page.getByRole('alert').getByText('A response of the identity provider can be used only once').waitFor()
    expect(await page.locator('main').innerText()).not.toContain('no-such-provider')
  })

  it('is explained on a server without accounts too', async () => {
    const empty = await startServer()
    const { page, close } = await open('/login?sso_error=access_denied&provider=acme', {}, empty.url)
    await page.getByRole('alert').getByText('Access was denied').waitFor()
    await page.waitForURL(`${empty.url}/setup`)
    expect(await hrefs(page)).toEqual(PROVIDERS.map(({ login_url }) => login_url))
    await page.getByText('The first sign-in ends the setup, even if the account is no admin.').waitFor()
    await close()
    await empty.stop()
  })
})

describe('an account with identities', () => {
  const linked = { 'ci-bot': LINKED }

  it('shows in the list how it signs in and what manages its role; its address finds it', async () => {
    const { page } = await open('/admin/users?q=ci.bot@example', { session, linked })
    const row = page.getByRole('row', { name: /ci-bot/ })
    await row.getByText('managed by Acme SSO').waitFor()
    expect(await row.getByRole('cell').nth(2).innerText()).toBe('Acme SSO')
    await page.getByText('1 of 2 accounts').waitFor()
  })

  it('shows its identities as text, and that a change of its role does not hold', async () => {
    const { page } = await open(`/admin/users/${bot}`, { session, linked })
    const identities = page.getByRole('region', { name: 'Single sign-on' })
    for (const text of ['Acme SSO', 'oidc:acme', '248289761001', 'ci.bot@example.com', 'not configured any more'])
      await identities.getByText(text, { exact: true }).waitFor()
    await identities.getByText('<b>AAdzZWNyZXQx</b>⟨U+202E⟩').waitFor()
    const role = page.getByRole('combobox', { name: 'Role' })
    expect(await page.locator('#user-role-manager').innerText()).toMatch(/managed by Acme SSO.*next sign-in/s)
    expect(await role.getAttribute('aria-describedby')).toContain('user-role-manager')
    await role.selectOption('viewer')
    await page.getByText('ci-bot is now viewer, until the next sign-in with Acme SSO').first().waitFor()
    const password = page.getByRole('region', { name: 'Password' })
    await password.getByText('None: this account signs in with Acme SSO only.').waitFor()
    await page.getByRole('button', { name: 'Delete…' }).click()
    await page.getByText('the next sign-in through Acme SSO creates a new account').waitFor()
    await page.getByText('and its saved views.').waitFor()
  })

  it('is not managed by a provider that is not configured any more', async () => {
    const old = { ...LINKED, role_managed_by: 'saml:old', identities: LINKED.identities.slice(1) }
    const { page } = await open(`/admin/users/${bot}`, { session, linked: { 'ci-bot': old } })
    await page.getByRole('region', { name: 'Single sign-on' }).getByText('saml:old').waitFor()
    await page.getByText('None: this account cannot sign in.').waitFor()
    expect(await page.locator('#user-role-manager').count()).toBe(0)
    expect(await page.getByRole('row', { name: /ci-bot/ }).innerText()).not.toContain('managed by')
  })

  it('has no password form in its settings, and shows its provider', async () => {
    const { page } = await open('/settings', { session, linked: { mira: LINKED } })
    const profile = page.getByRole('region', { name: 'Profile' })
    await profile.getByText('as ci.bot@example.com').waitFor()
    await profile.getByText('Acme SSO sets it at each sign-in').waitFor()
    await profile.getByText('This account has no password here. Change the provider').waitFor()
    expect(await page.getByRole('region', { name: 'Password' }).count()).toBe(0)
    expect(await page.getByRole('link', { name: 'Password' }).count()).toBe(0)
    await page.unrouteAll({ behavior: 'wait' })
    await stubProviders(page, PROVIDERS, { mira: { ...LINKED, has_password: true } })
    await page.reload()
    await page.getByRole('region', { name: 'Password' }).waitFor()
    await profile.getByText('and with a password').waitFor()
  })
})
