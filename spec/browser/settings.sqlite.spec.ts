import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { afterAll, describe, expect, it } from 'vitest'
import { axe, callApi, failRequests, isTooWide, openBrowser, setUp, visit } from '../support/browser.ts'
import { aDocument } from '../support/documents/documents.ts'
import { uploadDocument } from '../support/documents/sample-data.ts'
import { startServer } from '../support/servers/server.ts'

/** A name with markup, an invisible character and one that reverses the direction of text. */
const HOSTILE = '<img src=x onerror=alert(1)>\u202e\u200b'
const PASSWORD = 'correct horse battery'

const call = (method: string, path: string, body?: object, token = session) =>
  callApi(server.url, token, method, path, body)
const signIn = async (username = 'mira', password = PASSWORD): Promise<string> =>
  ((await (await call('POST', '/auth/login', { username, password })).json()) as { token: string }).token
afterAll(() => server.stop())

const open = (look: Parameters<typeof visit>[3] = {}) => visit(browser, server.url, '/settings', { session, ...look })
const heading = (page: Page, name: string) => page.getByRole('heading', { name, level: 1 }).waitFor()
const toast = (page: Page, text: string | RegExp) => page.getByText(text).first().waitFor()
const [browser, server] = await Promise.all([openBrowser(), startServer()])
const session = await setUp(server.url)
await uploadDocument(server, { run_id: 'r1' })
await call('POST', '/apikeys', { name: HOSTILE, scope: 'read' })
await call('POST', '/views', { name: HOSTILE, path: '/runs', query: 'status=fail', pinned: true })

describe('the settings', () => {
  it('show names as text', async () => {
    const { page } = await open({ width: 360 })
    await page.getByText('this one', { exact: true }).waitFor()
    await expect.poll(() => page.getByText('<img src=x onerror=alert(1)>').count()).toBeGreaterThanOrEqual(2)
    expect(await page.locator('img').count()).toBe(0)
    expect(await axe(page)).toEqual([])
    expect(await isTooWide(page)).toBe(false)
  })

  it('are in the menu of the account', async () => {
    const { page } = await visit(browser, server.url, '/runs', { session })
    await page.getByRole('button', { name: 'Account: mira' }).click()
    await page.getByRole('menuitem', { name: 'Settings' }).click()
    await heading(page, 'Settings')
    await page.getByText('Yours alone, for the account mira').waitFor()
  })

  it('make a key, show it once with a way to copy it, and revoke it', async () => {
    const { page, context } = await open({ width: 1440 })
    await context.grantPermissions(['clipboard-read', 'clipboard-write'])
    await page.getByRole('button', { name: 'Make a key' }).focus()
    await page.keyboard.press('Enter')
    await page.keyboard.type('laptop')
    await page.keyboard.press('Enter')
    const secret = page.getByRole('group', { name: 'The new key' }).locator('code')
    await secret.waitFor()
    const key = (await secret.textContent()) ?? ''
    expect(key).toMatch(/^service_[0-9a-f]{64}$/)
    expect((await call('GET', '/runs', undefined, key)).status).toBe(200)
    await page.getByRole('button', { name: 'Copy', exact: true }).click()
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(key)
    await page.getByRole('button', { name: 'Done' }).click()
    await secret.waitFor({ state: 'detached' })
    expect(await page.content()).not.toContain(key)
    await page.getByRole('button', { name: 'Revoke laptop' }).click()
    await page.getByRole('button', { name: 'Revoke key' }).click()
    await toast(page, 'Key laptop revoked')
    expect((await call('GET', '/runs', undefined, key)).status).toBe(401)
  })

  it('say how to switch the endpoint for agents on', async () => {
    const { page } = await open()
    await page.getByText('SERVICE_MCP_ENABLED=true').waitFor()
    expect(await page.getByRole('button', { name: 'Make a read key' }).count()).toBe(0)
  })

  it('connect an agent: its address, a key that only reads, and a configuration that works', async () => {
    const agents = await startServer({ env: { SERVICE_MCP_ENABLED: 'true' } })
    const look = { session: await setUp(agents.url), width: 1440 }
    const { page, context, close } = await visit(browser, agents.url, '/settings', look)
    await context.grantPermissions(['clipboard-read', 'clipboard-write'])
    const copied = async (what: string): Promise<string> => {
      await page.getByRole('button', { name: `Copy ${what}` }).click()
      return (await page.evaluate('navigator.clipboard.readText()')) as string
    }
    await page.getByRole('button', { name: 'Make a read key' }).click()
    const key = (await page.getByRole('group', { name: 'The new key' }).locator('code').textContent()) ?? ''

    const config = JSON.parse(await copied('the configuration')) as {
      mcpServers: Record<string, { url: string; headers: Record<string, string> }>
    }
    const { url, headers } = config.mcpServers['evaluation-results'] ?? expect.unreachable()
    expect(url).toBe(await copied('the address'))
    const authorization = headers['Authorization']?.replace('${SERVICE_TOKEN}', key) ?? ''
    const ask = (path: string, body: object) =>
      fetch(path, { method: 'POST', headers: { authorization }, body: JSON.stringify(body) })
    const answer = await ask(url, { id: 1, method: 'tools/call', params: { name: 'find_runs' } })
    expect(await answer.json()).toMatchObject({ result: { isError: false } })
    expect((await ask(`${agents.url}/api/v1/runs`, aDocument())).status).toBe(403)

    await page.getByLabel('Configuration').first().selectOption('Codex')
    await page.getByText('bearer_token_env_var').waitFor()
    expect(await copied('the configuration')).toContain(`url = "${url}"`)
    await close()
    await agents.stop()
  })

  it('list sessions, and end one or all others', async () => {
    const others = [await signIn(), await signIn(), await signIn()]
    const { page } = await open({ width: 1440 })
    await page.getByRole('button', { name: 'End 3 other sessions' }).waitFor()
    await page
      .getByRole('button', { name: /^End the session from/ })
      .first()
      .click()
    await toast(page, 'Session ended')
    await page.getByRole('button', { name: 'End 2 other sessions' }).click()
    await toast(page, '2 other sessions ended')
    await page.getByRole('button', { name: /other session/ }).waitFor({ state: 'detached' })
    for (const token of others) expect((await call('GET', '/runs', undefined, token)).status).toBe(401)
    expect((await call('GET', '/runs')).status).toBe(200)
  })

  it('change the password, and say what is wrong without leaving the page', async () => {
    await call('POST', '/users', { username: 'ada', password: PASSWORD, role: 'member' })
    const own = await signIn('ada')
    const other = await signIn('ada')
    const { page } = await open({ session: own })
    const submit = () => page.getByRole('button', { name: 'Change password' }).click()
    await page.getByLabel('Now').fill('wrong wrong wrong')
    await page.getByLabel(/^New\b.*characters/).fill('a better password')
    await page.getByLabel('New, again').fill('a bettre password')
    await page.getByText('The two new passwords differ.').waitFor()
    await page.getByLabel('New, again').fill('a better password')
    await submit()
    await page.getByText('The current password is wrong.').waitFor()
    await expect.poll(() => new URL(page.url()).pathname).toBe('/settings')
    expect(await page.evaluate('document.activeElement.id')).toBe('password-now')
    expect(await axe(page)).toEqual([])
    await page.getByLabel('Now').fill(PASSWORD)
    await submit()
    await toast(page, 'Password changed; 1 other session ended')
    expect((await call('GET', '/runs', undefined, other)).status).toBe(401)
    expect((await call('GET', '/runs', undefined, own)).status).toBe(200)
    expect(await signIn('ada', 'a better password')).toMatch(/^mses_/)
  })

  it('rename, pin and delete a saved view, with undo', async () => {
    await call('POST', '/views', { name: 'Slow', path: '/runs', query: 'suite=smoke' })
    const { page } = await open({ width: 1440 })
    await page.getByRole('button', { name: 'Rename Slow' }).click()
    await page.getByLabel('Name of Slow').fill('Smoke')
    await page.keyboard.press('Enter')
    const pin = page.getByRole('button', { name: 'Pin Smoke' })
    await pin.click()
    await page.locator('[aria-label="Pin Smoke"][aria-pressed="true"]').waitFor()
    await page.getByRole('button', { name: 'Delete Smoke' }).click()
    await toast(page, 'View Smoke deleted')
    await pin.waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.locator('[aria-label="Pin Smoke"][aria-pressed="true"]').waitFor()
    await page.getByRole('region', { name: 'Saved views' }).getByRole('link', { name: 'Smoke' }).click()
    await page.waitForURL('**/runs?suite=smoke')
  })

  it('show the role and the id of the account, and offer its saved views as a file', async () => {
    const { page } = await open({ width: 1440 })
    const profile = page.getByRole('region', { name: 'Profile' })
    await profile
      .getByText('sees everything, manages accounts, access and the server; an admin can change it')
      .waitFor()
    const { user } = (await (await call('GET', '/auth/me')).json()) as { user: { id: string; role: string } }
    expect(user.role).toBe('admin')
    const fact = (term: string) =>
      profile
        .locator('div', { has: page.locator('dt', { hasText: term }) })
        .locator('dd')
        .innerText()
    expect(await fact('Role')).toMatch(/^admin\n/)
    expect(await fact('Account id')).toContain(user.id)
    const { views } = (await (await call('GET', '/views')).json()) as { views: readonly unknown[] }
    const link = page
      .getByRole('region', { name: 'Saved views' })
      .getByRole('link', { name: `Download ${views.length}` })
    const [download] = await Promise.all([page.waitForEvent('download'), link.click()])
    const file = JSON.parse(readFileSync(await download.path(), 'utf8')) as { views: ReadonlyArray<{ name: string }> }
    expect(file.views).toHaveLength(views.length)
    expect(file.views.map(({ name }) => name)).toContain(HOSTILE)
  })

  it('store theme, density, times and single keys in the browser, with effect at once', async () => {
    const { page } = await open({ width: 1440 })
    const group = (name: string) => page.getByRole('group', { name })
    expect(await group('Times').innerText()).toContain('in UTC, which is also the time zone of this browser')
    await group('Theme').getByRole('button', { name: 'Dark' }).click()
    await group('Rows').getByRole('button', { name: 'Compact' }).click()
    await group('Times').getByRole('button', { name: 'UTC' }).click()
    await group('Single-key shortcuts').getByRole('button', { name: 'Off' }).click()
    await page
      .getByText(/^\d{4}-\d{2}-\d{2} \d{2}:\d{2} UTC/)
      .first()
      .waitFor()
    await page.goto('/runs')
    await heading(page, 'Runs')
    expect(await page.evaluate('({ ...document.documentElement.dataset })')).toEqual({
      theme: 'dark',
      density: 'compact',
    })
    await page
      .getByText(/^2026-05-04 09:00 UTC/)
      .first()
      .waitFor()
    await page.keyboard.press('?')
    expect(await page.getByRole('dialog').count()).toBe(0)
    expect(await axe(page)).toEqual([])
  })

  it('show what failed and try again', async () => {
    const { page } = await visit(browser, server.url, '/runs', { session })
    await failRequests(page, '**/api/v1/apikeys', 500, 'internal server error')
    await page.goto('/settings')
    await page.getByText('Your keys could not be loaded').waitFor()
    await page.unroute('**/api/v1/apikeys')
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByText('Your keys could not be loaded').waitFor({ state: 'detached' })
  })

  it('are those of the browser alone without an account', async () => {
    const openServer = await startServer({ env: { SERVICE_AUTH_MODE: 'open' } })
    const { page, close } = await visit(browser, openServer.url, '/settings')
    await page.getByText('Without an account there are settings of this browser only.').waitFor()
    expect(await page.getByRole('heading', { level: 2 }).allTextContents()).toEqual(['Agents (MCP)', 'Appearance'])
    await page.getByText('This server runs without accounts').waitFor()
    expect(await page.getByRole('navigation', { name: 'Settings' }).locator('[aria-current]').allInnerTexts()).toEqual([
      'Agents (MCP)',
    ])
    expect(await axe(page)).toEqual([])
    await close()
    await openServer.stop()
  })
})
