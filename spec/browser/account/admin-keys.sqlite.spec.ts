import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { axe, callApi, endStreams, failRequests, openBrowser, setUp, visit } from '../../support/browser.ts'
import { startServer, type RunningServer } from '../../support/servers/server.ts'

/** A name with markup, an invisible character and one that reverses the direction of text. */
const HOSTILE = '<img src=x onerror=alert(1)>\u202e\u200b'
const PASSWORD = 'correct horse battery'

let browser: Browser
let server: RunningServer
let session: string
let viewerSession: string
const users: Record<string, string> = {}
const keys: Record<string, string> = {}

const call = (method: string, path: string, body?: object, token = session) =>
  callApi(server.url, token, method, path, body)
const json = async <T>(answer: Promise<Response>): Promise<T> => (await (await answer).json()) as T
const signIn = async (username: string): Promise<string> =>
  (await json<{ token: string }>(call('POST', '/auth/login', { username, password: PASSWORD }))).token
const mint = async (name: string | null, scope: string, token: string): Promise<string> => {
  const { id, key } = await json<{ id: string; key: string }>(call('POST', '/apikeys', { name, scope }, token))
  keys[name ?? 'nameless'] = id
  return key
}

beforeAll(async () => {
  ;[browser, server] = await Promise.all([openBrowser(), startServer()])
  session = await setUp(server.url)
  for (const [username, role] of [
    ['ci-bot', 'member'],
    ['reviewer', 'viewer'],
    ['leaver', 'member'],
  ] as const)
    users[username] = (await json<{ id: string }>(call('POST', '/users', { username, password: PASSWORD, role }))).id
  const [bot, leaver] = [await signIn('ci-bot'), await signIn('leaver')]
  viewerSession = await signIn('reviewer')
  await call('GET', '/runs', undefined, await mint('uploads', 'write', bot))
  await mint(HOSTILE, 'read', bot)
  await mint(null, 'read', bot)
  await mint('old', 'read', bot)
  await call('DELETE', `/apikeys/${keys['old']}`, undefined, bot)
  await mint('laptop', 'write', leaver)
  await call('PATCH', `/users/${users['leaver']}`, { disabled: true })
  for (const name of ['one', 'two', 'three']) await mint(name, 'admin', session)
})
afterAll(() => server.stop())

const focused = (page: Page): Promise<string> => page.evaluate('document.activeElement.textContent.trim()')
const rowOf = (page: Page, name: string) =>
  page.getByRole('row').filter({ has: page.getByTitle(name, { exact: true }) })
const count = (page: Page, text: RegExp) => page.getByRole('status').filter({ hasText: text }).first().waitFor()
const listed = (page: Page): Promise<string[]> => page.locator('.keys .l1').allTextContents()

describe('the page of all keys', () => {
  it('shows each key with its account, scope, state and uses, but names as text', async () => {
    const { page, context } = await visit(browser, server.url, '/login', { session, width: 1440 })
    await endStreams(context)
    // The page to which the sign-in leads requests nothing any more.
    await page.goto('about:blank')
    const requests: string[] = []
    page.on('request', (request) => {
      const { pathname } = new URL(request.url())
      if (/^\/api\/v1\/(?!auth\/me|meta|events|views)/.test(pathname)) requests.push(pathname)
    })
    await page.goto('/admin/keys')
    await count(page, /7 keys · 6 usable · 1 of disabled accounts · 1 revoked/)
    expect(requests.sort()).toEqual(['/api/v1/users/apikeys', '/api/v1/users/overview'])
    expect(await rowOf(page, 'laptop').textContent()).toMatch(/leaver.*write.*account disabled/s)
    expect(await rowOf(page, 'uploads').textContent()).toMatch(/service_[0-9a-f]{4}….*ci-bot.*write.*usable/s)
    expect(await rowOf(page, 'uploads').textContent()).not.toContain('never')
    expect(await rowOf(page, 'one').textContent()).toContain('never')
    await page.getByTitle(/^<img src=x onerror=alert\(1\)>/).waitFor()
    expect(await page.locator('main img').count()).toBe(0)
    expect((await page.locator('main').textContent()) ?? '').not.toContain('\u202e')
  })

  it('is filtered and sorted, and the address holds both', async () => {
    const { page } = await visit(browser, server.url, '/admin/keys', { session, width: 1440 })
    await count(page, /^7 keys/)
    await page.keyboard.press('f')
    await page.keyboard.type('CI-B')
    await count(page, /^3 keys/)
    await expect.poll(() => new URL(page.url()).search).toBe('?q=CI-B')
    await page.keyboard.press('Escape')
    await page.getByRole('combobox', { name: 'State' }).selectOption('revoked')
    await count(page, /^1 key/)
    expect(await listed(page)).toEqual(['old'])
    await page.getByRole('combobox', { name: 'State' }).selectOption('any')
    await page.getByRole('combobox', { name: 'Scope' }).selectOption('write')
    await count(page, /^1 key/)
    await page.reload()
    await count(page, /^1 key/)
    await page.goBack()
    await count(page, /^4 keys/)
    await page.getByRole('button', { name: 'Clear', exact: true }).click()
    await page.getByRole('combobox', { name: 'Account' }).selectOption({ label: 'mira' })
    await count(page, /^3 keys/)
    await page.getByRole('button', { name: 'Key', exact: true }).click()
    await page.waitForURL((url) => url.searchParams.get('sort') === 'name')
    await page.getByRole('table', { name: /by name/ }).waitFor()
    // The rows of the order before stay on the page until the new ones arrive.
    await page.locator('.keys .l1').first().filter({ hasText: /^one$/ }).waitFor()
    expect(await listed(page)).toEqual(['one', 'three', 'two'])
    await page.getByRole('combobox', { name: 'Unused for' }).selectOption('30d')
    await page.getByText('No key matches').waitFor()
    await page.getByRole('button', { name: 'Clear the filters' }).click()
    await count(page, /^7 keys/)
  })

  it('shows values of the address that it does not know, and what the server says about them', async () => {
    const { page } = await visit(browser, server.url, '/admin/keys?scope=owner', { session, width: 1440 })
    await page.getByText('The keys could not be loaded').waitFor()
    await page.getByText(/scope/).first().waitFor()
    expect(await page.getByRole('combobox', { name: 'Scope' }).inputValue()).toBe('owner')
    await page.goto('/admin/keys?sort=size')
    await page.getByText('The order “size” of this address is unknown.').waitFor()
  })

  it('is walked by keyboard: a row opens its account, and a key has its trail', async () => {
    const { page } = await visit(browser, server.url, '/admin/keys?q=uploads', {
      session,
      width: 1440,
    })
    await count(page, /^1 key/)
    await page.keyboard.press('j')
    expect(await focused(page)).toBe('ci-bot')
    await page.keyboard.press('Enter')
    await page.waitForURL(`**/admin/users/${users['ci-bot']}`)
    await page.goBack()
    await page.getByRole('link', { name: 'Audit trail of uploads' }).click()
    await page.waitForURL((url) => url.searchParams.get('stream') === `key/${keys['uploads']}`)
    await page.locator('a.row-link').first().waitFor()
    expect(await page.locator('a.row-link').allTextContents()).toHaveLength(1)
  })

  it('revokes one key after a question, and several after another', async () => {
    const { page } = await visit(browser, server.url, '/admin/keys', { session, width: 1440 })
    await page.getByRole('button', { name: /^Revoke uploads of ci-bot/ }).click()
    await page.getByText('What uses it is refused from the next request on.').waitFor()
    expect(await axe(page)).toEqual([])
    await page.getByRole('button', { name: 'Cancel' }).click()
    await page.getByRole('button', { name: /^Revoke uploads of ci-bot/ }).click()
    await page.getByRole('button', { name: 'Revoke key', exact: true }).click()
    await page.getByText('Key uploads revoked').first().waitFor()
    await rowOf(page, 'uploads').waitFor({ state: 'detached' })
    for (const name of ['one', 'two']) await page.getByRole('checkbox', { name: `Select ${name} of mira` }).check()
    await page.getByRole('button', { name: 'Revoke 2 keys…' }).click()
    await page.getByText('2 keys of 1 account, none used in the last 30 days.').waitFor()
    await page.getByRole('button', { name: 'Revoke 2 keys', exact: true }).click()
    await page.getByText('2 keys revoked').first().waitFor()
    await rowOf(page, 'two').waitFor({ state: 'detached' })
    await count(page, /^4 keys · 3 usable/)
    expect(await page.getByRole('region', { name: 'Selection' }).count()).toBe(0)
    // A key is selected with the keyboard too, and deselected.
    await page.keyboard.press('j')
    await page.keyboard.press('x')
    await page.getByRole('region', { name: 'Selection' }).waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('region', { name: 'Selection' }).waitFor({ state: 'detached' })
  })

  it('says which keys were not revoked, and reads the list again', async () => {
    const { page } = await visit(browser, server.url, '/admin/keys', { session, width: 1440 })
    await page.getByRole('button', { name: /^Revoke three of mira/ }).click()
    await failRequests(page, `**/api/v1/apikeys/${keys['three']}`, 503, 'the store is busy')
    await page.getByRole('button', { name: 'Revoke key', exact: true }).click()
    await page.getByText('Revoke key failed: the store is busy').waitFor()
    await page.unroute(`**/api/v1/apikeys/${keys['three']}`)
    await page.getByRole('button', { name: 'Revoke key', exact: true }).click()
    await rowOf(page, 'three').waitFor({ state: 'detached' })
  })

  it('shows an error with a way to try again, and does not exist for others', async () => {
    const { page, close } = await visit(browser, server.url, '/login', { session })
    await failRequests(page, '**/api/v1/users/apikeys*', 500, 'broken')
    await page.goto('/admin/keys')
    await page.getByText('The keys could not be loaded').waitFor()
    await page.unroute('**/api/v1/users/apikeys*')
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByRole('table').waitFor()
    await close()
    const other = await visit(browser, server.url, '/admin/keys', { session: viewerSession })
    await other.page.getByRole('heading', { name: 'No such page', level: 1 }).waitFor({ state: 'attached' })
    await other.close()
  })
})
