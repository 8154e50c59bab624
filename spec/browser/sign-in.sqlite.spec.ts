import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { axe, openBrowser, setUp, visit } from '../support/browser.ts'
import { startServer, type RunningServer } from '../support/servers/server.ts'

const ACCOUNT = { username: 'mira', password: 'correct horse battery' }
const browser = await openBrowser()

describe('an empty server', () => {
  let server: RunningServer
  beforeAll(async () => void (server = await startServer()))
  afterAll(() => server.stop())

  it('shows what is wrong with an account, then creates it and continues', async () => {
    const { page } = await visit(browser, server.url, '/')
    await page.getByLabel('User name').fill(ACCOUNT.username)
    await page.getByLabel('Password').fill('short')
    await page.keyboard.press('Enter')
    await page.locator('form [role=alert]').waitFor()
    expect(await axe(page)).toEqual([])
    await page.getByLabel('Password').fill(ACCOUNT.password)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor()
    await page.goto('/setup')
    await page.waitForURL(`${server.url}/`)
  })
})

describe('a server with accounts', () => {
  let server: RunningServer
  let session: string
  beforeAll(async () => {
    server = await startServer()
    session = await setUp(server.url, ACCOUNT.username, ACCOUNT.password)
  })
  afterAll(() => server.stop())

  it('redirects any URL to the sign-in and back, by keyboard alone', async () => {
    const { page } = await visit(browser, server.url, '/runs/a%2Fb/matrix?cell=1')
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    await expect.poll(() => new URL(page.url()).searchParams.get('return_to')).toBe('/runs/a%2Fb/matrix?cell=1')
    await page.getByLabel('User name').waitFor()
    await page.keyboard.type(ACCOUNT.username)
    await page.keyboard.press('Tab')
    await page.keyboard.type('wrong')
    await page.keyboard.press('Enter')
    await page.getByText('User name or password is wrong.').waitFor()
    await page.keyboard.type(ACCOUNT.password)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'No such run', level: 1 }).waitFor({ state: 'attached' })
    await expect.poll(() => page.url()).toBe(`${server.url}/runs/a%2Fb/matrix?cell=1`)
  })

  it('never redirects from the sign-in to another server', async () => {
    const { page } = await visit(browser, server.url, '/login?return_to=//evil.example/x')
    await page.getByLabel('User name').fill(ACCOUNT.username)
    await page.getByLabel('Password').fill(ACCOUNT.password)
    await page.keyboard.press('Enter')
    await page.waitForURL(`${server.url}/`)
  })

  it('clears the session at sign-out', async () => {
    const visited = await visit(browser, server.url, '/login')
    await visited.page.getByLabel('User name').fill(ACCOUNT.username)
    await visited.page.getByLabel('Password').fill(ACCOUNT.password)
    await visited.page.keyboard.press('Enter')
    await visited.page.getByRole('button', { name: 'Account: mira' }).click()
    expect(await axe(visited.page)).toEqual([])
    await visited.page.getByRole('menuitem', { name: 'Sign out' }).click()
    await visited.page.getByRole('heading', { name: 'Sign in' }).waitFor()
    expect(await visited.context.cookies()).toEqual([])
    await visited.close()
  })

  it('shows the sign-in again when a session ends elsewhere', async () => {
    const ended = await anotherSession(server.url)
    const { page } = await visit(browser, server.url, '/runs', { session: ended })
    await page.getByRole('heading', { name: 'Runs', level: 1 }).waitFor()
    await fetch(`${server.url}/api/v1/auth/logout`, { method: 'POST', headers: { authorization: `Bearer ${ended}` } })
    await page.keyboard.press('/')
    await page.keyboard.type('words')
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    await expect.poll(() => page.url()).toBe(`${server.url}/login?return_to=/runs`)
  })

  it('redirects a signed-in user from the sign-in page', async () => {
    const { page } = await visit(browser, server.url, '/login', { session })
    await page.waitForURL(`${server.url}/`)
  })
})

it('an open server shows no sign-in', async () => {
  const server = await startServer({ env: { SERVICE_AUTH_MODE: 'open' } })
  const { page, close } = await visit(browser, server.url, '/')
  await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor()
  await page.getByRole('button', { name: 'Menu' }).click()
  await page.getByText('This server is open: no sign-in needed').waitFor()
  expect(await page.getByRole('menuitem', { name: /Sign/ }).count()).toBe(0)
  // The pages for admins say what they need, and nothing leads there.
  expect(await page.getByRole('link', { name: 'Admin' }).count()).toBe(0)
  await page.goto(`${server.url}/admin/keys`)
  await page.getByRole('heading', { name: 'This server runs without accounts' }).waitFor()
  await page.getByText('SERVICE_AUTH_MODE=closed').waitFor()
  expect(await page.getByRole('navigation', { name: 'Admin' }).count()).toBe(0)
  expect(await axe(page)).toEqual([])
  await close()
  await server.stop()
})

const anotherSession = async (url: string): Promise<string> => {
  const answer = await fetch(`${url}/api/v1/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(ACCOUNT),
  })
  return ((await answer.json()) as { token: string }).token
}
